// Wrong chain files whose contracts do not belong together.
import { first, second, type WrongFile } from "./wrong-file.ts";

export const references: WrongFile[] = [
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
  {
    title: "an external vault whose withdrawals wait, and one whose do not",
    spoil: (chain) => {
      chain.externalVaults[0]!.kind = "erc4626-queued";
      chain.externalVaults[1]!.kind = "erc4626";
    },
    lines: ({ at }) => [
      `externalVaults[0].kind: is erc4626-queued, but ${at.vaults.plain} does not answer reservedAssets(): write erc4626`,
      `externalVaults[1].kind: is erc4626, but ${at.queuedVault} answers reservedAssets(): write erc4626-queued`,
    ],
  },
];
