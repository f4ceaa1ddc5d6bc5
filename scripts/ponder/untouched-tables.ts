// After every block Ponder 0.17.7 marks each table's copies of rows with their block: one statement for each table, though a
// block has touched only a few. A table that the transaction has not named before has no such copies, so the answer is known.
import { textOf, wrapQueries } from "./statements.ts";

const COMMIT =
  /^update "[^"]+"\."_reorg__([^"]+)" set "checkpoint" = \$1 where "[^"]+"\."_reorg__\1"\."checkpoint" = \$2$/;
const NAME = /"\."([^"]+)"/g;
const NONE = { command: "UPDATE", rowCount: 0, oid: null, rows: [], fields: [] };

/** Tables named since a connection's transaction began. Nothing is known about a connection without an entry. */
const named = new WeakMap<object, Set<string>>();

export function skipUntouchedTables(): void {
  wrapQueries(
    (query) =>
      function (...given) {
        return isUntouched(this, textOf(given[0])) ? Promise.resolve(NONE) : query.apply(this, given);
      },
  );
}

/** Whether the statement is about copies of a table that its connection's transaction has not named. */
function isUntouched(client: object, text: string | undefined): boolean {
  if (text?.startsWith("begin")) named.set(client, new Set());
  else if (text === undefined || text === "commit" || text === "rollback") named.delete(client);
  const tables = named.get(client);
  if (text === undefined || tables === undefined) return false;
  const table = text.match(COMMIT)?.[1];
  if (table !== undefined) return !tables.has(table);
  for (const [, name = ""] of text.matchAll(NAME)) tables.add(name);
  return false;
}
