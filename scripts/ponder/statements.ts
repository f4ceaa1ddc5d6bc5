// What Ponder says to the database, rewritten before it is sent.
import { createRequire } from "node:module";

interface Client {
  query(...given: unknown[]): unknown;
}

/** Patches the `pg` that Ponder loads: every statement passes `rewrite` first, given as text or as an object that holds one. */
export function rewriteStatements(rewrite: (text: string) => string): void {
  const ponder = new URL("../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
  const { Client } = createRequire(ponder)("pg") as { Client: { prototype: Client } };
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [statement, ...others] = given;
    return query.call(this, rewritten(statement, rewrite), ...others);
  };
}

/** The very same object where nothing changes: some hold more than a text. */
function rewritten(statement: unknown, rewrite: (text: string) => string): unknown {
  if (typeof statement === "string") return rewrite(statement);
  if (typeof statement !== "object" || statement === null) return statement;
  const { text } = statement as { text?: unknown };
  if (typeof text !== "string") return statement;
  const changed = rewrite(text);
  return changed === text ? statement : { ...statement, text: changed };
}
