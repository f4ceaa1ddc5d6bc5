// Wrong chain files of the devnet's contracts, all of them: each mistake must be named by its field.
import type { ChainFile } from "../../../chains/chain-file.ts";
import { type Address, EOA, first, none, second, type WrongFile } from "./wrong-file.ts";
import { references } from "./wrong-references.ts";

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
    title: "one holder of one token for two vaults",
    spoil: (chain, { at }) => {
      chain.externalVaults[0]!.holder = at.v2.router;
      Object.assign(chain.externalVaults[1]!, { asset: chain.externalVaults[0]!.asset, holder: at.v2.router });
    },
    lines: ({ at }) => [
      `externalVaults[1].holder: ${at.v2.router} holds ${at.tokens.honey} for externalVaults[0], too; nothing shows whose is whose: remove one`,
      `externalVaults[1].asset: is ${at.tokens.honey}, but asset() of the vault is`,
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
