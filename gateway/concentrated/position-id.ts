// The number that identifies a direct position, which has no token id.
import { encodePacked, keccak256 } from "viem";
import type { Address } from "../parameters.ts";

interface DirectPosition {
  pool: string;
  owner: string;
  tickLower: number;
  tickUpper: number;
}

/** uint256(keccak256(abi.encodePacked(pool, owner, tickLower, tickUpper))), ticks as int24. */
export function directPositionId({ pool, owner, tickLower, tickUpper }: DirectPosition): bigint {
  const packed = encodePacked(
    ["address", "address", "int24", "int24"],
    [pool as Address, owner as Address, tickLower, tickUpper],
  );
  return BigInt(keccak256(packed));
}
