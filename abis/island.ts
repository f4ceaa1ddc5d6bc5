// What islands and their factory log: vaults over one v3 position each, with ERC-20 shares (KodiakIsland, in the line of
// Arrakis V1). Shares move by the Transfers in erc20.ts.
import { parseAbi, parseAbiItem } from "viem";

export const islandCreated = parseAbiItem(
  "event IslandCreated(address indexed uniPool, address indexed manager, address indexed island, address implementation)",
);

export const islandFactoryAbi = [
  islandCreated,
  ...parseAbi([
    "event UpdateIslandImplementation(address newImplementation)",
    "event TreasurySet(address indexed treasury)",
    "event IslandFeeSet(uint16 fee)",
  ]),
] as const;

export const islandAbi = parseAbi([
  "event Minted(address receiver, uint256 mintAmount, uint256 amount0In, uint256 amount1In, uint128 liquidityMinted)",
  "event Burned(address receiver, uint256 burnAmount, uint256 amount0Out, uint256 amount1Out, uint128 liquidityBurned)",
  "event FeesEarned(uint256 feesEarned0, uint256 feesEarned1)",
  "event Rebalance(address indexed compounder, int24 lowerTick_, int24 upperTick_, uint128 liquidityBefore, uint128 liquidityAfter)",
  "event UpdateManagerParams(uint16 managerFeeBPS, address managerTreasury, uint16 compounderSlippageBPS, uint32 compounderSlippageInterval)",
  "event OwnershipTransferred(address indexed previousManager, address indexed newManager)",
  "event PauserSet(address indexed pauser, bool status)",
  "event RestrictedMintSet(bool status)",
  "event RouterSet(address indexed router, bool status)",
  "event Paused(address account)",
  "event Unpaused(address account)",
]);
