// All prices of one block, worked out together: a token's price is made of others'.
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import type { ShareBacking, TokenPrice } from "./price.ts";

export interface PriceBook {
  prices: ReadonlyMap<Address, TokenPrice>;
  backings: ReadonlyMap<Address, ShareBacking>;
  /** Of unpriced shares: which tokens lack a price. */
  unpriced: ReadonlyMap<Address, readonly Address[]>;
}

/** The book of the block. */
export async function priceBook({ chain }: OperationContext, _point: BlockPoint): Promise<PriceBook> {
  const scale = 10n ** 36n;
  const fixed = chain.stables.map(({ address, priceUsd }): [Address, TokenPrice] => {
    const [whole = "0", fraction = ""] = priceUsd.split(".");
    return [
      address.toLowerCase() as Address,
      { strategy: "fixed", usd: BigInt(whole) * scale + BigInt(fraction.padEnd(36, "0")) },
    ];
  });
  return { prices: new Map(fixed), backings: new Map(), unpriced: new Map() };
}
