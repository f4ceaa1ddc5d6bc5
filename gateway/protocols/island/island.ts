// An island as its factory announced it, and why its state may be unknown.
import { rowsAt } from "../../../core/history/as-of.ts";
import { islands as history } from "../../../core/history/histories.ts";
import { isDeterminedSql } from "../../../core/island/stored-rows.ts";
import { hexColumns } from "../../history/sql-values.ts";
import type { Address } from "../../parameters.ts";

/**
 * `stopped`: its events contradicted each other. `waiting`: what no event shows of it has not been read from the chain; it
 * catches up once that is read. `undetermined`: at this block neither events nor the node give its range or fee.
 */
export type IncompleteReason = "stopped" | "waiting" | "undetermined";

export interface Island {
  /** Its number in the fold's tables. */
  id: number;
  address: Address;
  /** The v3 pool that it holds its position in. */
  pool: Address;
  token0: Address;
  token1: Address;
  createdBlock: number;
  /** Why its state at the block asked is unknown; undefined: its row there holds. */
  incomplete: IncompleteReason | undefined;
}

export interface IslandInfoRow {
  id: number;
  address: Address;
  pool: Address;
  token0: Address;
  token1: Address;
  created_block: number;
  stopped_block: number | null;
  waiting_block: number | null;
  is_undetermined: boolean;
}

/** SELECT list over the fold's `island`, as of SQL expression `block`. */
export const islandInfoColumns = (fold: string, block: string): string => {
  const row = rowsAt(history, { fold, block, of: { island: "island.id" } });
  return `id, ${hexColumns(["address", "pool", "token0", "token1"])}, created_block, stopped_block, waiting_block,
    undetermined_block is not null and exists (select from (${row}) h where not ${isDeterminedSql("h")}) as is_undetermined`;
};

/** The island as of `block`. */
export const toIsland = (row: IslandInfoRow, block: number): Island => ({
  id: row.id,
  address: row.address,
  pool: row.pool,
  token0: row.token0,
  token1: row.token1,
  createdBlock: row.created_block,
  incomplete: incompleteAt(row, block),
});

function incompleteAt(row: IslandInfoRow, block: number): IncompleteReason | undefined {
  if (row.stopped_block !== null && row.stopped_block <= block) return "stopped";
  if (row.waiting_block !== null && row.waiting_block <= block) return "waiting";
  return row.is_undetermined ? "undetermined" : undefined;
}
