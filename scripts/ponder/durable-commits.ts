// Ponder 0.17.7 sets `synchronous_commit = off` in every session, whatever the server says: a crash of the database takes
// commits back that Ponder goes on from, and leaves a gap of blocks that nothing fills. A block shown must survive, so the
// server's own setting stands.
import { rewriteStatements } from "./statements.ts";

const UNSAFE = /SET synchronous_commit = off;/g;

export function keepCommitsDurable(): void {
  rewriteStatements((text) => text.replace(UNSAFE, ""));
}
