// How a request's transaction begins, and which locks it takes in which order.
import { everyFactTable } from "../../core/fact-tables.ts";
import { histories } from "../../core/history/histories.ts";
import { quoted } from "../../fold/tables.ts";
import type { QuotedSchemas } from "./facts-scope.ts";
import { type StatePlace, stateAndHashesText } from "./state.ts";

/** In the order of ponder.schema.ts, which is the order in which Ponder locks them; its own tables come last. */
const FACT_TABLES = [...everyFactTable, "_ponder_checkpoint"];

/**
 * Locked until the end, so that a fold dropped and made anew in between is never read: its rows would be invisible to
 * this snapshot and look like nobody holding anything.
 */
const FOLD_TABLES = [
  ...["meta", "asset", "holder", "quarantine", "token", "token_retry", "waiting"],
  ...["v3_pool", "v3_pool_fee", "v3_pool_fee_retry"],
  ...["island", "island_settings", "island_settings_retry"],
  ...["farm_settings", "farm_settings_retry", "farm_progress"],
  ...histories.flatMap(({ name }) => [`${name}_current`, `${name}_interval`, `${name}_recent`]),
];

/** A dropped fold must not wait for us while we wait for it: give up before PostgreSQL looks for deadlocks (1 s). */
const FOLD_LOCK_TIMEOUT = "400ms";
const FACT_LOCK_TIMEOUT = "2s";
const STATEMENT_TIMEOUT = "15s";

const tableList = (schema: string, tables: readonly string[]): string =>
  tables.map((table) => `${schema}.${quoted(table)}`).join(", ");

/** All of Ponder's tables at once. */
export const lockFactsStatements = (schemas: QuotedSchemas): string =>
  `set local lock_timeout = '${FACT_LOCK_TIMEOUT}';
   lock table ${tableList(schemas.ponder, FACT_TABLES)} in access share mode`;

/** Of Ponder's tables. */
export const LET_GO = "rollback to savepoint facts";

/** No SELECT may come before the locks: the first one takes the snapshot. Ponder's are taken behind the savepoint `facts`. */
const beginStatements = (schemas: QuotedSchemas): string => `begin isolation level repeatable read read only;
  set local statement_timeout = '${STATEMENT_TIMEOUT}';
  set local idle_in_transaction_session_timeout = '90s';
  set local jit = off; set local work_mem = '32MB'; set local extra_float_digits = 1;
  set local lock_timeout = '${FOLD_LOCK_TIMEOUT}';
  lock table ${tableList(schemas.fold, FOLD_TABLES)} in access share mode;
  savepoint facts; ${lockFactsStatements(schemas)}`;

export interface Opening {
  /** Facts are read first. */
  keepsLocks: boolean;
}

/** One row of `OpenedRow`: begins, and tells what the snapshot knows of itself and the hashes of `blocks`. */
export const openingStatements = ({
  blocks,
  keepsLocks,
  ...place
}: StatePlace & Opening & { blocks: readonly number[] }): string =>
  `${beginStatements(place.schemas)}; ${stateAndHashesText(place, blocks)}${keepsLocks ? "" : `; ${LET_GO}`}`;
