// Wrong chain files of the devnet's contracts: what is changed, and the mistakes that must be named, each by its field.
import type { ChainFile } from "../../../chains/chain-file.ts";
import type { Deployment } from "../../../devnet/deploy/all.ts";
import type { V2Deployment } from "../../../devnet/deploy/v2.ts";

export type Address = `0x${string}`;

/** What there is on the test's chain beside the devnet's contracts. */
export interface Ground {
  at: Deployment;
  otherV2: V2Deployment;
  /** By address, from the receipts. */
  createdIn: ReadonlyMap<string, number>;
  head: number;
}

export interface WrongFile {
  title: string;
  /** Changes a copy of the right file. */
  spoil(chain: ChainFile, ground: Ground): void;
  /** The mistakes' lines, in order: beginnings of what they must say. */
  lines(ground: Ground): string[];
}

const EOA: Address = "0x00000000000000000000000000000000000a11ce";
const first = (chain: ChainFile) => chain.v3!.deployments[0]!;
const second = (chain: ChainFile) => chain.v3!.deployments[1]!;
const none = (address: string) => `there is no contract at ${address}`;

const references: WrongFile[] = [
  {
    title: "the position manager of another factory",
    spoil: (chain, { at }) => {
      first(chain).positionManager.address = at.v3.kodiak.positionManager;
    },
    lines: ({ at: { v3 } }) => [
      `v3.deployments[1].positionManager.address: ${v3.kodiak.positionManager} is v3.deployments[0].positionManager.address, too`,
      `v3.deployments[0].positionManager.address: ${v3.kodiak.positionManager} is of factory ${v3.kodiak.factory}, not of the listed ${v3.uniswap.factory}; write ${v3.uniswap.positionManager}`,
    ],
  },
  {
    title: "another v3 factory than that of all periphery",
    spoil: (chain, { at }) => {
      chain.v3!.deployments.pop();
      first(chain).factory.address = at.v3.kodiak.factory;
      first(chain).flavour = "kodiak";
      first(chain).defaultFeeProtocol = 229_379_500;
    },
    lines: ({ at: { v3 } }) => [
      `v3.deployments[0].factory.address: is ${v3.kodiak.factory}, but positionManager.address, swapRouter02, quoterV2, mixedRouteQuoterV1 are of factory ${v3.uniswap.factory}`,
    ],
  },
  {
    title: "the quoter of another factory",
    spoil: (chain, { at }) => {
      first(chain).quoterV2 = at.v3.kodiak.quoterV2;
    },
    lines: ({ at: { v3 } }) => [
      `v3.deployments[1].quoterV2: ${v3.kodiak.quoterV2} is v3.deployments[0].quoterV2, too`,
      `v3.deployments[0].quoterV2: ${v3.kodiak.quoterV2} is of factory ${v3.kodiak.factory}`,
    ],
  },
  {
    title: "position manager and router swapped",
    spoil: (chain, { at }) => {
      first(chain).positionManager.address = at.v3.uniswap.swapRouter02;
      first(chain).swapRouter02 = at.v3.uniswap.positionManager;
    },
    lines: ({ at: { v3 } }) => [
      `v3.deployments[0].positionManager.address: ${v3.uniswap.swapRouter02} is not a position manager`,
      `v3.deployments[0].swapRouter02: ${v3.uniswap.positionManager} is not a SwapRouter02`,
    ],
  },
  {
    title: "the two quoters swapped",
    spoil: (chain, { at }) => {
      first(chain).quoterV2 = at.v3.uniswap.mixedRouteQuoterV1;
      first(chain).mixedRouteQuoterV1 = at.v3.uniswap.quoterV2;
    },
    lines: ({ at: { v3 } }) => [
      `v3.deployments[0].quoterV2: ${v3.uniswap.mixedRouteQuoterV1} is not a QuoterV2`,
      `v3.deployments[0].mixedRouteQuoterV1: ${v3.uniswap.quoterV2} is not a MixedRouteQuoterV1`,
    ],
  },
  {
    title: "flavour uniswap on a kodiak factory",
    spoil: (chain) => {
      second(chain).flavour = "uniswap";
    },
    lines: ({ at: { v3 } }) => [
      `v3.deployments[1].flavour: is uniswap, but pools of factory ${v3.kodiak.factory} are kodiak: write that, and "defaultFeeProtocol": 229379500`,
    ],
  },
  {
    title: "flavour kodiak on a uniswap factory",
    spoil: (chain) => {
      first(chain).flavour = "kodiak";
    },
    lines: ({ at: { v3 } }) => [
      `v3.deployments[0].flavour: is kodiak, but pools of factory ${v3.uniswap.factory} are uniswap: write that`,
    ],
  },
  {
    title: "the v2 router of another factory",
    spoil: (chain, { otherV2 }) => {
      chain.v2!.router = otherV2.router;
    },
    lines: ({ at, otherV2 }) => [
      `v2.router: ${otherV2.router} is of factory ${otherV2.factory}, not of the listed ${at.v2.factory}`,
    ],
  },
  {
    title: "v2 factory and router swapped",
    spoil: (chain, { at }) => {
      chain.v2!.router = at.v2.factory;
      chain.v2!.factory.address = at.v2.router;
    },
    lines: ({ at }) => [
      `v2.factory.address: ${at.v2.router} is not a v2 factory, it does not answer allPairsLength(); it is a contract of factory ${at.v2.factory}`,
      `v2.router: ${at.v2.factory} is not a v2 router`,
    ],
  },
  {
    title: "a reward token, a distributor and a BeraChef that the vaults do not have",
    spoil: (chain, { at }) => {
      chain.rewardVaults!.rewardToken = at.tokens.kdk;
      chain.rewardVaults!.distributor!.address = at.tokens.yeet;
      chain.rewardVaults!.beraChef!.address = at.poolCaller;
    },
    lines: ({ at: { rewardVaults, tokens, poolCaller } }) => [
      `rewardVaults.distributor.address: is ${tokens.yeet}, but distributor() of rewardVaults.factory.address is ${rewardVaults.distributor}`,
      `rewardVaults.rewardToken: is ${tokens.kdk}, but rewardToken() of rewardVaults.factory.address is ${rewardVaults.rewardToken}`,
      `rewardVaults.beraChef.address: ${poolCaller} is not a BeraChef`,
    ],
  },
  {
    title: "factories of other protocols",
    spoil: (chain, { at }) => {
      chain.islands!.factory.address = at.islands.implementation;
      chain.farms!.factory.address = at.launch.factory;
      chain.launch!.factory.address = at.farms.factory;
      chain.infrared!.core.address = at.vaults.baultFactory;
      chain.baults!.factory.address = at.infrared.core;
    },
    lines: ({ at }) => [
      `islands.factory.address: ${at.islands.implementation} is not an island factory`,
      `farms.factory.address: ${at.launch.factory} is not a farm factory`,
      `baults.factory.address: ${at.infrared.core} is not a bault factory`,
      `infrared.core.address: ${at.vaults.baultFactory} is not an Infrared core`,
      `launch.factory.address: ${at.farms.factory} is not a launch factory`,
    ],
  },
  {
    title: "a vault factory that baults are not over",
    spoil: (chain, { at }) => {
      chain.rewardVaults!.factory.address = at.vaults.baultFactory;
      chain.baults = null;
    },
    lines: ({ at }) => [`rewardVaults.factory.address: ${at.vaults.baultFactory} is not a reward vault factory`],
  },
  {
    title: "an external vault over another asset",
    spoil: (chain, { at }) => {
      chain.externalVaults[0]!.asset = at.tokens.usdc;
    },
    lines: ({ at }) => [
      `externalVaults[0].asset: is ${at.tokens.usdc}, but asset() of the vault is ${at.tokens.honey}: write that`,
    ],
  },
  {
    title: "an external vault of another kind",
    spoil: (chain) => {
      chain.externalVaults[0]!.kind = "beefy";
    },
    lines: ({ at }) => [
      `externalVaults[0].kind: ${at.vaults.plain} is no vault of kind beefy, it does not answer want(): it looks like one of kind erc4626`,
    ],
  },
];

const tokens: WrongFile[] = [
  {
    title: "decimals that the token does not have",
    spoil: (chain) => {
      chain.knownTokens.find(({ symbol }) => symbol === "WBTC")!.decimals = 18;
    },
    lines: ({ at }) => [`knownTokens[5].decimals: is 18, but decimals() of ${at.tokens.wbtc} is 8: write that`],
  },
  {
    title: "a known token that is no token",
    spoil: (chain, { at }) => {
      chain.knownTokens[5]!.address = at.v2.router;
    },
    lines: ({ at }) => [`knownTokens[5].address: ${at.v2.router} is not a token`],
  },
  {
    title: "a token listed twice, and a stable",
    spoil: (chain) => {
      chain.knownTokens.push(chain.knownTokens[2]!);
      chain.stables.push(chain.stables[0]!);
    },
    lines: ({ at }) => [
      `knownTokens[11].address: ${at.tokens.honey} is knownTokens[2], too: remove one`,
      `stables[3].address: ${at.tokens.honey} is stables[0], too: remove one`,
    ],
  },
  {
    title: "a stable that is nobody's contract",
    spoil: (chain) => {
      chain.stables[1]!.address = EOA;
    },
    lines: () => [`stables[1].address: ${none(EOA)}`],
  },
  {
    title: "a token priced as something without code, and one as itself",
    spoil: (chain, { at }) => {
      chain.pricedAs = { [at.tokens.kdk]: EOA, [at.tokens.yeet]: at.tokens.yeet };
    },
    lines: ({ at: { tokens: named } }) => [
      `pricedAs.${named.yeet}: is priced as itself`,
      `pricedAs.${named.kdk}: ${none(EOA)}`,
    ],
  },
  {
    title: "a wrapped native that wraps nothing",
    spoil: (chain, { at }) => {
      chain.wrappedNative = { address: at.tokens.usdc, symbol: "USDC.e", flavour: "transfer" };
    },
    lines: ({ at: { tokens: named } }) => [
      `wrappedNative.address: decimals() of ${named.usdc} is 6, where a wrapped native has 18`,
      `wrappedNative.address: ${named.usdc} is not a wrapped native`,
      `wrappedNative.address: is ${named.usdc}, but WETH() of all routers is ${named.wbera}`,
    ],
  },
  {
    title: "a wrapped native of the other flavour, either way",
    spoil: (chain) => {
      chain.wrappedNative.flavour = "weth9";
      chain.otherWrapped[0]!.flavour = "transfer";
    },
    lines: ({ at: { tokens: named } }) => [
      `wrappedNative.flavour: is weth9, but ${named.wbera} shows wrapping as transfer: write that`,
      `otherWrapped[0].flavour: is transfer, but ${named.weth} shows wrapping as weth9: write that`,
    ],
  },
  {
    title: "the wrapped native under another one's symbol",
    spoil: (chain) => {
      chain.wrappedNative.symbol = "WETH";
    },
    lines: ({ at: { tokens: named } }) => [
      `wrappedNative.symbol: is "WETH", but symbol() of ${named.wbera} is "WBERA"`,
    ],
  },
  {
    title: "a contract that plays two parts",
    spoil: (chain, { at }) => {
      chain.aggregator!.address = at.v2.router;
    },
    lines: ({ at }) => [`aggregator.address: ${at.v2.router} is v2.router, too`],
  },
];

/** Every source with a start block of its own, by the path of its field. */
const sources: [string, (chain: ChainFile) => { address: Address; startBlock: number }][] = [
  ["v2.factory", (chain) => chain.v2!.factory],
  ["v3.deployments[0].factory", (chain) => first(chain).factory],
  ["v3.deployments[1].positionManager", (chain) => second(chain).positionManager],
  ["islands.factory", (chain) => chain.islands!.factory],
  ["rewardVaults.factory", (chain) => chain.rewardVaults!.factory],
  ["rewardVaults.distributor", (chain) => chain.rewardVaults!.distributor!],
  ["rewardVaults.beraChef", (chain) => chain.rewardVaults!.beraChef!],
  ["farms.factory", (chain) => chain.farms!.factory],
  ["baults.factory", (chain) => chain.baults!.factory],
  ["infrared.core", (chain) => chain.infrared!.core],
  ["externalVaults[0]", (chain) => chain.externalVaults[0]!],
  ["launch.factory", (chain) => chain.launch!.factory],
];

const starts: WrongFile[] = sources.map(([path, of]) => {
  let address: Address = EOA;
  return {
    title: `a start block of ${path} after its creation`,
    spoil: (chain, { head }) => {
      address = of(chain).address;
      of(chain).startBlock = head;
    },
    lines: ({ createdIn, head }) => {
      const block = createdIn.get(address);
      return [
        `${path}.startBlock: is ${head}, but ${path}.address was created in block ${block}: write ${block} or less`,
      ];
    },
  };
});

const others: WrongFile[] = [
  {
    title: "an address without code for each kind of contract",
    spoil: (chain) => {
      chain.v2!.factory.address = EOA;
      chain.farms!.factory.address = "0x00000000000000000000000000000000000a11cf";
      chain.externalVaults[0]!.holder = "0x00000000000000000000000000000000000a11d0";
    },
    lines: ({ at }) => [
      `v2.factory.address: ${none(EOA)}`,
      `farms.factory.address: ${none("0x00000000000000000000000000000000000a11cf")}`,
      `externalVaults[0].holder: ${none("0x00000000000000000000000000000000000a11d0")}`,
      `v2.router: ${at.v2.router} is of factory ${at.v2.factory}, not of the listed ${EOA}`,
    ],
  },
  {
    title: "a first block after the oldest contract, in a list of tokens, too",
    spoil: (chain, { at, head }) => {
      chain.startBlock = head;
      chain.tokens = [{ address: at.tokens.honey, startBlock: head }];
    },
    lines: ({ at, createdIn, head }) => {
      const block = createdIn.get(at.tokens.honey);
      return [
        `tokens[0].startBlock: is ${head}, but tokens[0].address was created in block ${block}: write ${block} or less`,
        `startBlock: is ${head}, but wrappedNative.address was created in block ${createdIn.get(at.tokens.wbera)}`,
      ];
    },
  },
  {
    title: "another chain's id",
    spoil: (chain) => {
      chain.chainId = 80094;
    },
    lines: () => ["chainId: is 80094, but the node at http://127.0.0.1:"],
  },
];

export const wrongFiles: readonly WrongFile[] = [...references, ...tokens, ...starts, ...others];
