// Looking through for one account alone: of everything else it only matters how much there is.
import type { Address } from "../parameters.ts";

export interface Focus {
  account: Address;
  /** Every contract between what the account holds and the tokens behind it. */
  contracts: ReadonlySet<string>;
}

/** All other holders of an asset, as one: no address. */
export const OTHERS = "others";
