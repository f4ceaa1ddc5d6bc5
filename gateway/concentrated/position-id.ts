// How a position is named: a direct one, which has no token id, by a number; and its claim to one of its pool's tokens as an asset of
// the look-through.
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

interface PositionAsset {
  pool: Address;
  /** Undefined for a direct position. */
  manager: Address | undefined;
  token: Address;
}

/** Its unit is the token's: both tokens of a position are assets of their own. */
export const positionAsset = ({ pool, manager, id, token }: PositionAsset & { id: bigint }): string =>
  `v3-position:${pool}:${manager ?? "direct"}:${id}:${token}`;

/** The position that the id names, if it names one. */
export function positionOfAsset(asset: string): PositionAsset | undefined {
  if (!asset.startsWith("v3-position:")) return undefined;
  const [, pool, manager, , token] = asset.split(":") as [string, Address, Address | "direct", string, Address];
  return { pool, manager: manager === "direct" ? undefined : manager, token };
}
