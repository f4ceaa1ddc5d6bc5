// A share token and what stands behind all of it: as its contract counts, and as it is valued.
import type { PricedShare } from "../../core/prices/price-shares.ts";
import type { Address } from "../parameters.ts";

type Parts = PricedShare["parts"];

export interface BackedShare {
  share: Address;
  /** What the contract says stands behind the supply. */
  parts: readonly { token: Address; amount: bigint }[];
  /** The same if the pool below stood at its mean price; where there is none below, the same. */
  fairParts: Parts;
}

/** Mean prices of pools by address, token1 per token0. */
export type MeanPrices = ReadonlyMap<string, { numerator: bigint; denominator: bigint }>;

/** A share whose only part is itself never gets a price, and is named as the token that lacks one. */
export function unknownShare(share: Address): BackedShare {
  const parts = [{ token: share, amount: 1n }];
  return { share, parts, fairParts: parts };
}

/** A share that is or contains one of the `broken` tokens becomes unknown: nobody knows how much of them there is. */
export const soundShares = (shares: readonly BackedShare[], broken: ReadonlySet<Address>): readonly BackedShare[] =>
  shares.map((one) => {
    const isSound = !broken.has(one.share) && !one.parts.some(({ token }) => broken.has(token));
    return isSound ? one : unknownShare(one.share);
  });
