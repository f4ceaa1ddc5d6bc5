// Deletes intervals of pruned blocks from PostgreSQL, a little at a time, except those that a loaded range needs.
import type { Sql } from "postgres";
import { quoted } from "../../fold/tables.ts";
import { inTurn, prunable } from "./pruned-blocks.ts";

/** About how many rows one transaction deletes. */
const ROWS_AT_ONCE = 20_000;
const FIRST_BLOCKS = 64;

/**
 * Deletes what is left of pruned ranges that are not loaded. If it is killed, the next call goes on where it was. Resolves to the
 * number of rows deleted.
 */
export async function deleteAway(db: Sql, foldSchema: string): Promise<number> {
  const fold = quoted(foldSchema);
  const [undone] = await db<{ firsts: number[] | null; up_to: number | null }[]>`
    select array_agg(first order by first) filter (where loaded_at is null and not is_deleted) as firsts,
           max(last) + 1 as up_to
      from tidemark.pruned where fold = ${fold}`;
  const [after] = undone?.firsts ?? [];
  if (undone?.firsts == null || undone.up_to === null || after === undefined) return 0;
  let deleted = 0;
  for (const { history } of prunable)
    deleted += await deleteEnded(db, { foldSchema, history: history.name, after, upTo: undone.up_to });
  await db`update tidemark.pruned set is_deleted = true
            where fold = ${fold} and first = any(${undone.firsts}) and loaded_at is null`;
  return deleted;
}

interface Ended {
  foldSchema: string;
  history: string;
  /** Rows that ended in (after, upTo]. */
  after: number;
  upTo: number;
}

async function deleteEnded(db: Sql, { foldSchema, history, after, upTo }: Ended): Promise<number> {
  const fold = quoted(foldSchema);
  let deleted = 0;
  let blocks = FIRST_BLOCKS;
  for (let done = after; done < upTo; ) {
    const next = Math.min(done + blocks, upTo);
    const rows = await inTurn(db, foldSchema, async () => {
      const { count } = await db.unsafe(
        `delete from ${fold}.${history}_interval i where i.to_block > ${done} and i.to_block <= ${next} and not exists (
           select from tidemark.pruned p
            where p.fold = $1 and p.loaded_at is not null and i.to_block > p.first and i.from_block <= p.last)`,
        [fold],
      );
      return count;
    });
    deleted += rows;
    done = next;
    if (rows > 2 * ROWS_AT_ONCE) blocks = Math.max(1, Math.floor(blocks / 2));
    else if (rows < ROWS_AT_ONCE / 2) blocks *= 2;
  }
  return deleted;
}

export async function vacuumIntervals(db: Sql, foldSchema: string): Promise<void> {
  for (const { history } of prunable)
    await db.unsafe(`vacuum (analyze) ${quoted(foldSchema)}.${history.name}_interval`);
}
