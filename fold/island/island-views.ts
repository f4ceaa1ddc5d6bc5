// What an island answers about itself. KodiakIslandStorage.sol, KodiakIsland.sol
import { parseAbi } from "viem";

export const islandViewAbi = parseAbi([
  "function lowerTick() view returns (int24)",
  "function upperTick() view returns (int24)",
  "function managerFeeBPS() view returns (uint16)",
  "function managerTreasury() view returns (address)",
]);
