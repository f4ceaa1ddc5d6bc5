// Ponder 0.17.7 tells the clients of its own API which tables a block has changed: every row it writes fires a trigger that
// notes its table in a temporary one, made and dropped for each block. It has no clients here, as gateways read the fold: so no
// block makes the table, and no trigger fills it.
import { rewriteStatements } from "./statements.ts";

const NOTES = /^\s*CREATE TEMP TABLE live_query_tables .*$/s;
const TRIGGER = /^\s*CREATE OR REPLACE TRIGGER ("live_query(?:_notify)?")\s+AFTER [A-Z ]+ ON ("[^"]+"\."[^"]+").*$/s;

/** The triggers of an older schema are dropped: without the table they would fail. */
export function leaveLiveQueriesOut(): void {
  rewriteStatements((text) =>
    text.includes("live_query")
      ? text.replace(NOTES, "select").replace(TRIGGER, "drop trigger if exists $1 on $2")
      : text,
  );
}
