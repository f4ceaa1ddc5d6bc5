// With several servers: no later answer may be older than what has been shown.

import { UnavailableError } from "../errors.ts";
import type { ChainMemory } from "./chain-memory.ts";
import type { Connection, Database } from "./database.ts";
import { SERVER_REPORT_SQL, type ServerReportRow, toServerReport } from "./freshness.ts";
import type { IndexState } from "./state.ts";

interface Shown {
  chainId: number;
  state: Pick<IndexState, "liveSince">;
}

/**
 * `state` was just read by way of `connection`: nothing that is answered later may be older.
 * @throws ReplicaBehindError when this would be a step back itself
 */
export async function noteShown(
  { database, memory }: { database: Database; memory: ChainMemory },
  { server, isReplica = false, rows }: Connection,
  { chainId, state }: Shown,
): Promise<void> {
  if (server === undefined) return;
  if (!memory.follows(chainId, { since: state.liveSince, isReplica })) throw new ReplicaBehindError();
  const [row] = await rows<ServerReportRow>(SERVER_REPORT_SQL);
  if (row) database.noteShown?.(toServerReport(row).position);
}

/**
 * 503 `CATCHING_UP`, sent where no other server is left: a block that a replica does not have yet may be on the primary, and another
 * gateway may have shown it.
 */
export class ReplicaBehindError extends UnavailableError {
  override name = "ReplicaBehindError";

  constructor() {
    super("CATCHING_UP", "This block has not reached the database server that is left. Retry in a few seconds.");
  }
}
