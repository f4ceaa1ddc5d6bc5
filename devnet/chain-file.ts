// The chain file of a deployment of the devnet; chains/devnet.json is the one for the default seed.
import type { ChainFile } from "../chains/chain-file.ts";
import { DEVNET_CHAIN_ID } from "./anvil.ts";
import type { Deployment } from "./deploy/all.ts";
import type { V3Deployment } from "./deploy/v3.ts";

/** What `chains/devnet.json` must hold; addresses depend on the deployer's nonces alone, never on the seed. */
export function chainFileOf(at: Deployment): ChainFile {
  const source = (address: `0x${string}`) => ({ address, startBlock: 0 });
  const v3 = (deployed: V3Deployment) => ({
    flavour: deployed.flavour,
    factory: source(deployed.factory),
    positionManager: source(deployed.positionManager),
    swapRouter02: deployed.swapRouter02,
    quoterV2: deployed.quoterV2,
    mixedRouteQuoterV1: deployed.mixedRouteQuoterV1,
    defaultFeeProtocol: deployed.flavour === "kodiak" ? 229_379_500 : 0,
  });
  const { tokens } = at;
  const tokenOf = (address: `0x${string}`, symbol: string, [decimals, ...tags]: [number, ...string[]]) => ({
    address,
    symbol,
    decimals,
    tags,
  });
  return {
    name: "devnet",
    chainId: DEVNET_CHAIN_ID,
    nativeSymbol: "BERA",
    wrappedNative: { address: tokens.wbera, symbol: "WBERA", flavour: "transfer" },
    otherWrapped: [{ address: tokens.weth, symbol: "WETH", flavour: "weth9" }],
    startBlock: 0,
    pollingIntervalMs: 200,
    tokens: "all",
    knownTokens: [
      tokenOf(tokens.wbera, "WBERA", [18, "major", "bera"]),
      tokenOf(tokens.weth, "WETH", [18, "major", "eth"]),
      tokenOf(tokens.honey, "HONEY", [18, "major", "usd"]),
      tokenOf(tokens.usdc, "USDC.e", [6, "major", "usd"]),
      tokenOf(tokens.usdt, "USDT0", [6, "major", "usd"]),
      tokenOf(tokens.wbtc, "WBTC", [8, "major", "btc"]),
      tokenOf(tokens.ohm, "OHM", [9, "alt"]),
      tokenOf(tokens.ibgt, "iBGT", [18, "eco", "bera"]),
      tokenOf(tokens.kdk, "KDK", [18, "eco"]),
      tokenOf(tokens.yeet, "YEET", [18, "meme"]),
      tokenOf(tokens.bera, "beraETH", [18, "eth"]),
    ],
    stables: [tokens.honey, tokens.usdc, tokens.usdt].map((address) => ({ address, priceUsd: "1" })),
    minimumPricingDepthUsd: 1000,
    pricedAs: { [at.rewardVaults.rewardToken]: tokens.wbera },
    v2: { factory: source(at.v2.factory), router: at.v2.router, swapFee: 3000, takesProtocolFee: false },
    v3: { deployments: [v3(at.v3.uniswap), v3(at.v3.kodiak)] },
    islands: { factory: source(at.islands.factory) },
    rewardVaults: {
      factory: source(at.rewardVaults.factory),
      distributor: source(at.rewardVaults.distributor),
      beraChef: source(at.rewardVaults.beraChef),
      rewardToken: at.rewardVaults.rewardToken,
    },
    farms: { factory: source(at.farms.factory) },
    baults: { factory: source(at.vaults.baultFactory) },
    infrared: { core: source(at.infrared.core) },
    externalVaults: [
      { address: at.vaults.plain, kind: "erc4626", asset: tokens.honey, startBlock: 0 },
      { address: at.queuedVault, kind: "erc4626-queued", asset: tokens.ibgt, startBlock: 0 },
    ],
    launch: { factory: source(at.launch.factory) },
    aggregator: { address: at.aggregator, selector: "0xd2644d14", canRefund: false },
    ownRouterName: "Kodiak",
    providers: ["Kodiak", "OpenOcean", "Fly", "OogaBooga", "Enso", "Kyberswap"].map((name, priority) => ({
      name,
      weight: "1",
      priority,
    })),
    referralCodes: [
      { code: 0, maxFeeBps: 0 },
      { code: 4, maxFeeBps: 100 },
    ],
    gasTipWei: "1000000000",
    lake: { segmentBlocks: 100, segmentTransfers: 2_000 },
  };
}
