// The number that names a direct position: one that no token id stands for.
import { encodePacked, keccak256 } from "viem";
import type { Address } from "../parameters.ts";

/** uint256(keccak256(abi.encodePacked(pool, owner, tickLower, tickUpper))), ticks as int24. */
export const directPositionId = (position: {
  pool: string;
  owner: string;
  tickLower: number;
  tickUpper: number;
}): bigint =>
  BigInt(
    keccak256(
      encodePacked(
        ["address", "address", "int24", "int24"],
        [position.pool as Address, position.owner as Address, position.tickLower, position.tickUpper],
      ),
    ),
  );
