// Writing a batch of changes to balances: the fold's own step against graph-node's clamp and insert, in turns on the full
// tables. It changes both, so it comes last.

import { foldHoldings } from "../../fold/holdings/fold-holdings.ts";
import { quoted } from "../../fold/tables.ts";
import { FOLD_SCHEMA, type Ground } from "./ground.ts";
import { idsOfBatch, writeBatch } from "./peers/graph-node.ts";

export interface WriteRun {
  design: "tidemark" | "graph-node";
  changes: number;
  ms: number;
}

/** Temporary table `batch` (token, account, delta, balance): balances that are above zero now, each changed once. */
async function prepareBatch({ db }: Ground, { changes, seed }: { changes: number; seed: number }): Promise<void> {
  await db.unsafe(`
    drop table if exists batch;
    create temp table batch as
      select asset as token, account, delta, amount + delta as balance
        from (select *, 1 + (hashtextextended(encode(account, 'hex'), ${seed}) & 1048575)::numeric as delta
                from ${quoted(FOLD_SCHEMA)}.holding_current
               order by hashtextextended(encode(account, 'hex') || asset, ${seed}) limit ${changes}) chosen;
    analyze batch`);
}

async function writeOurs({ db }: Ground, block: number): Promise<number> {
  await db.unsafe("begin");
  await db.unsafe(`
    truncate staged;
    insert into staged (block, log_index, asset, account, delta)
    select ${block}, row_number() over (), token, account, delta from batch`);
  const { changes } = await foldHoldings(db, FOLD_SCHEMA);
  await db.unsafe(`update ${quoted(FOLD_SCHEMA)}.meta set finalized = ${block}, head = ${block}, updated_at = now()`);
  await db.unsafe("commit");
  return changes;
}

/** One unmeasured round first. */
export async function measureWrites(ground: Ground, options: { changes: number; rounds: number; from: number }) {
  const { db } = ground;
  const { changes, rounds, from } = options;
  await db.unsafe(`create temp table if not exists staged (
    block int4 not null, log_index int4 not null, asset int4, kind text, key bytea, account bytea not null, delta numeric not null)`);
  const runs: WriteRun[] = [];
  for (let round = 0; round <= rounds; round++) {
    const block = from + round;
    await prepareBatch(ground, { changes, seed: round + 1 });
    const ids = await idsOfBatch(db);
    const ways = {
      tidemark: () => writeOurs(ground, block),
      "graph-node": () => writeBatch(db, { block, ids }),
    };
    for (const design of round % 2 === 0
      ? (["tidemark", "graph-node"] as const)
      : (["graph-node", "tidemark"] as const)) {
      const started = performance.now();
      await ways[design]();
      if (round > 0) runs.push({ design, changes, ms: performance.now() - started });
    }
  }
  return runs;
}
