// Moves versions of blocks that have become final into the large tables.
import type { Sql } from "postgres";
import { histories, holdings } from "../../core/history/histories.ts";
import type { Schemas } from "../fact-source.ts";
import { addHolders, isOfBroken } from "../fold-holdings.ts";
import { mergeVersions } from "../history/merge.ts";
import { dropFinalCopies } from "../recent-facts.ts";
import { raiseRevision } from "../revision.ts";
import { quoted } from "../tables.ts";

/** Versions that are merged at once: the next block waits no longer than these take. */
const MOST_VERSIONS = 4_000;

/** The last block up to `upTo` that can be made final at one go; the one after `finalized` at least. */
export async function finalizableUpTo(
  db: Sql,
  { fold }: Schemas,
  { finalized, upTo }: { finalized: number; upTo: number },
): Promise<number> {
  const counts = histories.map(
    ({ name }) =>
      `select block, count(*) as n from ${quoted(fold)}.${name}_recent where block <= ${upTo} group by block`,
  );
  const [row] = await db.unsafe(`
    select max(block) as block from (
      select block, sum(sum(n)) over (order by block) as total from (${counts.join(" union all ")}) c group by block) t
     where total <= ${MOST_VERSIONS} or block = ${finalized + 1}`);
  const [beyond] = await db.unsafe(`
    select coalesce(sum(n), 0) > ${MOST_VERSIONS} as is_much from (${counts.join(" union all ")}) c`);
  return beyond?.is_much === true ? Math.max(Number(row?.block ?? 0), finalized + 1) : upTo;
}

/** Blocks in (finalized, upTo] are final: their versions become history. Resolves to the number of versions. */
export async function finalize(db: Sql, { fold }: Schemas, upTo: number): Promise<number> {
  const s = quoted(fold);
  await db.unsafe("begin");
  try {
    await db.unsafe(`select from ${s}.meta for update`);
    await dropQuarantined(db, s, upTo);
    let versions = 0;
    for (const history of histories) {
      const [any] = await db.unsafe(`select 1 from ${s}.${history.name}_recent where block <= ${upTo} limit 1`);
      if (!any) continue;
      const final = `(select * from ${s}.${history.name}_recent where block <= ${upTo})`;
      if (history === holdings) await db.unsafe(addHolders(s, `${final} new_holders`));
      versions += await mergeVersions(db, s, { history, versions: final });
      await db.unsafe(`delete from ${s}.${history.name}_recent where block <= ${upTo}`);
    }
    await db.unsafe(`${dropFinalCopies(fold, upTo)}; update ${s}.meta set finalized = ${upTo}, updated_at = now()`);
    await db.unsafe("commit");
    return versions;
  } catch (error) {
    await db.unsafe("rollback");
    throw error;
  }
}

/** A token that has left the range of a uint256 in a final block has no history at all. */
async function dropQuarantined(db: Sql, s: string, upTo: number): Promise<void> {
  const broken = await db.unsafe(
    `select q.asset from ${s}.quarantine q, ${s}.meta m where q.block > m.finalized and q.block <= ${upTo}`,
  );
  if (broken.length === 0) return;
  const assets = `array[${broken.map(({ asset }) => Number(asset)).join(", ")}]::int4[]`;
  for (const table of ["holding_current", "holding_interval", "holding_recent"])
    await db.unsafe(`delete from ${s}.${table} h using ${s}.quarantine q join ${s}.asset t on t.id = q.asset
      where q.asset = any(${assets}) and ${isOfBroken("h")}`);
  await db.unsafe(`delete from ${s}.holder h where h.asset = any(${assets})`);
  await raiseRevision(db, s);
}
