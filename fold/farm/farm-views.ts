// What a farm answers about itself. KodiakFarm.sol
import { parseAbi } from "viem";

export const farmViewAbi = parseAbi([
  "function stakingToken() view returns (address)",
  "function periodFinish() view returns (uint256)",
  "function getAllRewardTokens() view returns (address[])",
  "function getAllRewardRates() view returns (uint256[])",
]);
