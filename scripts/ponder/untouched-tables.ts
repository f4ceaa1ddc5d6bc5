// After every block Ponder 0.17.7 tells each table's copies of rows which block they are of: one statement a table, of which a
// block has touched a few. Of a table that its transaction has not named before there are none, and the answer is known.
import { textOf, wrapQueries } from "./statements.ts";

const COMMIT =
  /^update "[^"]+"\."_reorg__([^"]+)" set "checkpoint" = \$1 where "[^"]+"\."_reorg__\1"\."checkpoint" = \$2$/;
const NAME = /"\."([^"]+)"/g;
const NONE = { command: "UPDATE", rowCount: 0, oid: null, rows: [], fields: [] };

/** Tables named since a connection's transaction began. Of one without an entry nothing is known. */
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
