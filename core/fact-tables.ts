// The fact tables that are read, in the order of ponder.schema.ts. Ponder locks them in that order, so everyone who
// reads them does too: the fold and the gateway take this list.
import { islandFactTables } from "./island/fact-rows.ts";
import { v3FactTables } from "./v3/fact-rows.ts";

export const factTables: readonly string[] = [
  "block",
  "erc20_transfer",
  "weth9_deposit",
  "weth9_withdrawal",
  ...v3FactTables,
  "v2_pair_created",
  ...islandFactTables,
  "vault_created",
  "stake",
  "reward",
  "incentive",
  "launch_pool",
];
