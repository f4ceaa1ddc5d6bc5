// Whether states of pruned blocks can be answered: checked before an answer begins that is written while it is read.
import { requireIntervals } from "../../core/history/pruned.ts";
import type { Snapshot } from "../database/snapshot.ts";

/**
 * @throws what a statement throws that needs pruned intervals. The request then loads them and begins again, which is impossible once
 * the answer is on its way.
 */
export async function requirePast(snapshot: Snapshot, first: number, last: number = first): Promise<void> {
  const { state, fold } = snapshot;
  if (state.prunedTo === undefined || first > state.prunedTo) return;
  await snapshot.prepared(`select ${requireIntervals(fold, "$1::int4", "$2::int4")} as are_here`, [
    String(first),
    String(last),
  ]);
}
