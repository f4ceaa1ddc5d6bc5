// Which launch pools there are, by what they sell and what they raise, and which of them have graduated.
import type { AdditiveLedger } from "./additive-ledger.ts";
import { everyContract, type Listing, listingDeltas } from "./listing.ts";

export const LAUNCH_POOL = "launch-pool";
export const GRADUATED_POOL = "graduated-pool";

const pools = { table: "launch_pool", contract: "f.pool" };
const initialized = { ...pools, kind: `'${LAUNCH_POOL}'`, condition: "f.kind = 'initialized'" };

const listings: readonly Listing[] = [
  ...["f.token", "f.base_token", everyContract].map((key) => ({ ...initialized, key })),
  { ...pools, kind: `'${GRADUATED_POOL}'`, key: everyContract, condition: "f.kind = 'graduated'" },
];

export const launchPools: AdditiveLedger = {
  name: "launch",
  facts: ["launch_pool"],
  deltas: (schema, range) => listingDeltas(schema, range, listings),
};
