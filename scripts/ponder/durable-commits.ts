// Ponder 0.17.7 sets `synchronous_commit = off` in every session, whatever the server says: a crash of the database takes
// commits back that Ponder goes on from, and leaves a gap of blocks that nothing fills. A block shown must survive, so the
// server's own setting stands.
import { createRequire } from "node:module";

interface Client {
  query(...given: unknown[]): unknown;
}

const UNSAFE = /SET synchronous_commit = off;/g;

/** Patches the `pg` that Ponder loads. */
export function keepCommitsDurable(): void {
  const ponder = new URL("../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
  const { Client } = createRequire(ponder)("pg") as { Client: { prototype: Client } };
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [text, ...others] = given;
    return query.call(this, typeof text === "string" ? text.replace(UNSAFE, "") : text, ...others);
  };
}
