// Which v2 pairs there are, and of which tokens.
import type { AdditiveLedger } from "./additive-ledger.ts";
import { everyContract, type Listing, listingDeltas } from "./listing.ts";

export const V2_PAIR = "v2-pair";

const listings: readonly Listing[] = ["f.token0", "f.token1", everyContract].map((key) => ({
  table: "v2_pair_created",
  kind: `'${V2_PAIR}'`,
  key,
  contract: "f.pair",
}));

export const v2Pairs: AdditiveLedger = {
  name: "v2",
  facts: ["v2_pair_created"],
  deltas: (schema, range) => listingDeltas(schema, range, listings),
};
