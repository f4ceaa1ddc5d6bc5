// Whether states of blocks can be told that were pruned: asked before an answer is begun that is written as it is read.
import { requireIntervals } from "../../core/history/pruned.ts";
import type { Snapshot } from "../database/snapshot.ts";

/**
 * @throws what a statement throws that needs intervals which are away. The request loads them and begins again, which an answer that is
 * on its way cannot.
 */
export async function requirePast(snapshot: Snapshot, first: number, last: number = first): Promise<void> {
  const { state, fold } = snapshot;
  if (state.prunedTo === undefined || first > state.prunedTo) return;
  await snapshot.prepared(`select ${requireIntervals(fold, "$1::int4", "$2::int4")} as are_here`, [
    String(first),
    String(last),
  ]);
}
