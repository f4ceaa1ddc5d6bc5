// Moves versions of blocks that have become final into the large tables.
import type { Sql } from "postgres";
import { histories, holdings } from "../../core/history/histories.ts";
import type { History } from "../../core/history/history.ts";
import { inTransaction } from "../../database/in-transaction.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { dropFinalCopies } from "../facts/recent-facts.ts";
import { BY_KEY, besideCurrent, mergeVersions, withNext } from "../history/merge.ts";
import { addHolders } from "../holdings/fold-holdings.ts";
import { dropHistory } from "../holdings/quarantine.ts";
import { quoted } from "../tables.ts";

/** The next block waits at most about this long for blocks that become final. */
const LONGEST_MS = 120;
const [FEWEST_VERSIONS, MOST_VERSIONS] = [200, 6_000];

/** How many versions are merged at once: as many as fit into {@link LONGEST_MS}, by how long the last ones took. */
export class MergePace {
  #versionsPerMs = 8;

  get most(): number {
    return Math.round(Math.min(MOST_VERSIONS, Math.max(FEWEST_VERSIONS, this.#versionsPerMs * LONGEST_MS)));
  }

  took(versions: number, ms: number): void {
    if (versions >= FEWEST_VERSIONS / 2) this.#versionsPerMs = (this.#versionsPerMs + versions / ms) / 2;
  }
}

/** The last block up to `upTo` that can be made final with no more than `most` versions; at least the first block with any. */
export async function finalizableUpTo(
  db: Sql,
  { fold }: Schemas,
  { upTo, most }: { upTo: number; most: number },
): Promise<number> {
  const counts = histories.map(
    ({ name }) =>
      `select block, count(*) as n from ${quoted(fold)}.${name}_recent where block <= $1::int4 group by block`,
  );
  const [row] = await db.unsafe(
    `select max(total) > $2::int4 as is_much, coalesce(max(block) filter (where total <= $2::int4), min(block)) as block
       from (select block, sum(sum(n)) over (order by block) as total from (${counts.join(" union all ")}) c group by block) t`,
    [upTo, most],
    { prepare: true },
  );
  return row?.is_much === true ? Number(row.block) : upTo;
}

/**
 * Few entities are merged at once, into tables of any size. The planner knows the number of versions only from a sample of other blocks:
 * after one of a large batch, it read a whole table of current rows.
 */
const BEGIN = `begin; ${BY_KEY}; set local enable_hashjoin = off; set local enable_mergejoin = off`;

/** Blocks in (finalized, upTo] are final: their versions become history. Resolves to the number of versions. */
export function finalize(db: Sql, { fold }: Schemas, upTo: number): Promise<number> {
  const s = quoted(fold);
  return inTransaction(db, BEGIN, async () => {
    await db.unsafe(`select from ${s}.meta for update`);
    await dropQuarantined(db, s, upTo);
    const recent = ({ name }: History) => `${s}.${name}_recent where block <= ${upTo}`;
    const [row] = await db.unsafe(
      `select array[${histories.map((history) => `exists (select from ${recent(history)})`).join(", ")}] as are_there`,
    );
    let versions = 0;
    for (const history of histories.filter((_, i) => row?.are_there[i] === true)) {
      const final = `(select * from ${recent(history)})`;
      if (history === holdings) await db.unsafe(addHolders(s, `${final} new_holders`));
      versions += await mergeVersions(db, s, {
        history,
        versions: `(${besideCurrent(s, history, withNext(history, final))})`,
      });
      await db.unsafe(`delete from ${recent(history)}`);
    }
    await db.unsafe(`${dropFinalCopies(fold, upTo)}; update ${s}.meta set finalized = ${upTo}, updated_at = now()`);
    return versions;
  });
}

/** A token that has left the range of a uint256 in a final block has no history at all. */
async function dropQuarantined(db: Sql, s: string, upTo: number): Promise<void> {
  const left = await db.unsafe<{ asset: number }[]>(
    `select q.asset from ${s}.quarantine q, ${s}.meta m where q.block > m.finalized and q.block <= ${upTo}`,
  );
  const assets = left.map(({ asset }) => asset);
  await dropHistory(db, s, assets);
}
