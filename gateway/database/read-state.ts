// Reads the state of the index: first of all in a transaction, or by itself for all that wait for the current state.
import { type LiveSchemas, quoted } from "../../fold/tables.ts";
import { type ChainMemory, requireSame } from "./chain-memory.ts";
import type { Connection, Database } from "./database.ts";
import { type ChangeRow, changesText, RecentChanges } from "./recent-changes.ts";
import { noteShown } from "./shown-position.ts";
import { type IndexState, type StateRow, stateOf, stateText } from "./state.ts";

/** The index that is read, and its state. */
export interface View {
  /** Quoted name of the fold's schema. */
  fold: string;
  state: IndexState;
}

export interface ReadFrom {
  database: Database;
  memory: ChainMemory;
  chainId: number;
}

/**
 * The state of the index in `schemas`, which the next request takes as its starting point.
 * @throws LiveSchemasMovedError when gateways are pointed elsewhere; UnavailableError while there is nothing to read;
 *   ReplicaBehindError
 */
export async function readState(from: ReadFrom, connection: Connection, schemas: LiveSchemas): Promise<View> {
  const { memory, chainId } = from;
  const fold = quoted(schemas.fold);
  const [row] = await connection.prepared<StateRow>(stateText({ fold, chainId }), []);
  const found = stateOf(row);
  requireSame(found.live, schemas);
  await noteShown(from, connection, { chainId, state: found });
  const changes = await changesUpTo(found, { from, connection, fold });
  memory.noteInstance(chainId, row?.instance);
  const state = { ...found, highestHead: memory.highestHead(chainId, found.highestHead), changes };
  memory.noteState(chainId, state);
  return { fold, state };
}

/** What blocks have changed up to the head of `state`, read once for each head. */
async function changesUpTo(
  { head: block, lastSyncedHash: hash, finalized, factOid, rewinds }: IndexState,
  { from, connection, fold }: { from: ReadFrom; connection: Connection; fold: string },
): Promise<RecentChanges | undefined> {
  const { memory, chainId } = from;
  const index = `${fold} ${factOid} ${rewinds}`;
  const known = memory.changes(chainId, index);
  if (hash === undefined || known?.has({ block, hash })) return known;
  if (known?.follow(await connection.prepared<ChangeRow>(changesText(fold), known.parameters))) return known;
  const begun = new RecentChanges({ block, hash, finalized });
  memory.follow(chainId, index, begun);
  return begun;
}
