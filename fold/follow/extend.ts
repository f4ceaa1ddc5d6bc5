// Folds the blocks of a picture, taking back the ones that they replace: rows, block and head in one transaction, so that no
// reader sees a gap.
import type { Sql } from "postgres";
import { histories } from "../../core/history/histories.ts";
import { writeCopy } from "../../database/copies.ts";
import { recentFacts, type Schemas } from "../facts/fact-source.ts";
import { dropCopiesAfter } from "../facts/recent-facts.ts";
import { BY_KEY } from "../history/merge.ts";
import { commitWith, type StepSequence } from "../sequential-step.ts";
import { quoted, recentSchema } from "../tables.ts";
import { countsJson, storeCountsText } from "./fact-counts.ts";
import type { Picture } from "./picture.ts";
import { foldRecentHoldings } from "./recent-holdings.ts";

interface Extended {
  changes: number;
  quarantined: number;
  stepRows: number;
}

/** `head`: the fold's before. @throws Error when somebody else has moved it; the state of `steps` in memory is then no longer valid */
export async function extend(
  db: Sql,
  { schemas, steps, head }: { schemas: Schemas; steps: StepSequence; head: number },
  { next, facts, counts }: Picture,
): Promise<Extended> {
  const [s, recent] = [quoted(schemas.fold), quoted(recentSchema(schemas.fold))];
  const range = { after: next.common, upTo: next.upTo };
  const touched = new Set(facts.keys());
  const source = recentFacts(db, schemas);
  const work = async () => {
    await requireHead(db, s, head);
    if (next.isFork) await takeBack(db, schemas, { steps, block: next.common });
    for (const [table, rows] of facts) await writeCopy(db, `copy ${recent}.${table} from stdin`, [rows]);
    await db.unsafe(storeCountsText(schemas.fold), [countsJson(counts, range)], { prepare: true });
    await steps.stage(range, source, touched);
    await steps.take(range, source, touched);
    const stepRows = await steps.write();
    const folded = await foldRecentHoldings(db, { s, recent }, { range, touched });
    await db.unsafe(
      `update ${s}.meta set head = $1::int4, updated_at = now(), folded_facts = folded_facts + (
         select sum(total) from ${recent}.fact_count where block > $2::int4 and block <= $1::int4)`,
      [next.upTo, next.common],
      { prepare: true },
    );
    return { ...folded, stepRows };
  };
  return commitWith(db, steps, { settings: BY_KEY, work });
}

/** Goes back to the end of `block`: later blocks are deleted, and nothing takes their place yet. */
export async function goBack(
  db: Sql,
  { schemas, steps, head }: { schemas: Schemas; steps: StepSequence; head: number },
  block: number,
): Promise<void> {
  const s = quoted(schemas.fold);
  const work = async () => {
    await requireHead(db, s, head);
    await takeBack(db, schemas, { steps, block });
    await db.unsafe(`update ${s}.meta set head = ${block}, updated_at = now()`);
  };
  await commitWith(db, steps, { settings: BY_KEY, work });
}

async function requireHead(db: Sql, s: string, head: number): Promise<void> {
  const [meta] = await db.unsafe(`select head from ${s}.meta for update`, [], { prepare: true });
  if (meta?.head !== head) throw new Error(`the head moved from ${head} to ${meta?.head} under the fold`);
}

async function takeBack(
  db: Sql,
  schemas: Schemas,
  { steps, block }: { steps: StepSequence; block: number },
): Promise<void> {
  const s = quoted(schemas.fold);
  // before the deletion below: it reads the rows that are deleted
  await steps.rewind(block);
  const count = `${quoted(recentSchema(schemas.fold))}.fact_count where block > ${block}`;
  await db.unsafe(`
    update ${s}.meta set rewinds = rewinds + 1,
           folded_facts = folded_facts - coalesce((select sum(total) from ${count}), 0);
    delete from ${count};
    ${histories.map(({ name }) => `delete from ${s}.${name}_recent where block > ${block}`).join(";\n")};
    delete from ${s}.quarantine where block > ${block};
    delete from ${s}.token t using ${s}.asset a where a.kind = 'erc20' and a.key = t.address and a.first_block > ${block};
    delete from ${s}.token where read_at_block > ${block};
    delete from ${s}.asset where first_block > ${block};
    ${dropCopiesAfter(schemas.fold, block)}`);
}
