// The fact tables in the order of ponder.schema.ts. Ponder locks them in that order, so everyone who reads them does too.
import { islandFactTables } from "./island/fact-rows.ts";
import { v3FactTables } from "./v3/fact-rows.ts";

export const everyFactTable: readonly string[] = [
  "block",
  "erc20_transfer",
  "weth9_deposit",
  "weth9_withdrawal",
  ...v3FactTables,
  "v2_pair_created",
  "v2_swap",
  "v2_liquidity",
  "v2_sync",
  ...islandFactTables,
  "vault_created",
  "vault_flow",
  "stake",
  "reward",
  "incentive",
  "launch_pool",
  "launch_swap",
  "launch_sync",
  "other_event",
];

/** Column of a fact table that holds the block's number. */
export const blockColumn = (table: string): string => (table === "block" ? "number" : "block");

/**
 * Facts that later ones are read with: which tokens a pool has, what a vault is. The fold has copies of those of all blocks, so
 * that reading them waits for no lock of Ponder's.
 */
export const registryTables: readonly string[] = [
  "block",
  "v3_pool_created",
  "v2_pair_created",
  "island_created",
  "vault_created",
  "launch_pool",
];

const notFolded = ["block", "v2_swap", "v2_liquidity", "launch_swap"];

/** Those of events that balances and state may be made of. */
export const foldedTables: readonly string[] = everyFactTable.filter((table) => !notFolded.includes(table));
