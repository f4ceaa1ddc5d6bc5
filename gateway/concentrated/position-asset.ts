// A position's claim to one of its pool's tokens, as an asset of the look-through.
import type { Address } from "../parameters.ts";

export interface PositionAsset {
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
