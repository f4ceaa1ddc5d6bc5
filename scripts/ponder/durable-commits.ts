// Ponder 0.17.7 sets `synchronous_commit = off` in every session, whatever the server's setting: a crash of the database undoes
// commits from which Ponder goes on, and leaves a gap of blocks that nothing fills. A block that was shown must survive, so the
// server's own setting is kept.
import { rewriteStatements } from "./statements.ts";

const UNSAFE = /SET synchronous_commit = off;/g;

export function keepCommitsDurable(): void {
  rewriteStatements((text) => text.replace(UNSAFE, ""));
}
