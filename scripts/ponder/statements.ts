// Ponder's statements to the database, rewritten before they are sent, or answered at once.
import { createRequire } from "node:module";

interface Client {
  query(...given: unknown[]): unknown;
}

/** Patches the `pg` that Ponder loads: every connection's `query` is replaced by what `wrap` returns for it. */
export function wrapQueries(wrap: (query: Client["query"]) => (this: Client, ...given: unknown[]) => unknown): void {
  const ponder = new URL("../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
  const { Client } = createRequire(ponder)("pg") as { Client: { prototype: Client } };
  Client.prototype.query = wrap(Client.prototype.query);
}

/** Every statement passes `rewrite` first, given as text or as an object that holds one. */
export function rewriteStatements(rewrite: (text: string) => string): void {
  wrapQueries(
    (query) =>
      function (...given) {
        const [statement, ...others] = given;
        return query.call(this, rewritten(statement, rewrite), ...others);
      },
  );
}

/** The text of a statement, given as text or as an object that holds one. */
export function textOf(statement: unknown): string | undefined {
  if (typeof statement === "string") return statement;
  if (typeof statement !== "object" || statement === null) return undefined;
  const { text } = statement as { text?: unknown };
  return typeof text === "string" ? text : undefined;
}

/** The very same object where nothing changes: some hold more than a text. */
function rewritten(statement: unknown, rewrite: (text: string) => string): unknown {
  const text = textOf(statement);
  if (text === undefined) return statement;
  const changed = rewrite(text);
  if (changed === text) return statement;
  return typeof statement === "string" ? changed : { ...(statement as object), text: changed };
}
