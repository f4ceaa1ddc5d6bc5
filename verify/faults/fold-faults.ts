// kill -9 of the fold at random moments, and its schema dropped under everything: what it holds must not depend on it.
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { readProgress } from "../../fold/facts-reader.ts";
import { foldHoldings } from "../../fold/fold-holdings.ts";
import { openFold } from "../../fold/fold-schema.ts";
import { stageFacts } from "../../fold/stage-facts.ts";
import { changedAnswers, readAnswers } from "./answers.ts";
import { PROOF_CHAIN_ID } from "./chain-file.ts";
import { dropSchema } from "./drop-schema.ts";
import { type Outcome, randomBetween } from "./outcome.ts";
import { figuresOf } from "./ponder-kills.ts";
import { startReaders } from "./readers.ts";
import type { Stack } from "./stack.ts";

const UNDISTURBED = "fold_undisturbed";
const COMPARED = ["asset", "holding_current", "holding_interval", "holder", "quarantine"] as const;

/** `count` kills while final blocks keep coming; every fifth time it starts over from nothing. */
export async function killFold(stack: Stack, { count }: { count: number }): Promise<Outcome> {
  const { chain, fold, sql } = stack;
  const foldSchema = await stack.foldSchema();
  const watermarks: number[] = [];
  let midway = 0;
  for (let kill = 0; kill < count; kill++) {
    await fold.kill();
    if (kill % 5 === 4) await dropSchema(sql, foldSchema);
    // Finality moves in steps of 30 blocks: each round has one more step to fold.
    for (let block = 0; block < 30; block++) await chain.mine(10);
    fold.start();
    await stack.waitFor("the fold's session", async () => (await transactionsOf(stack)) !== undefined);
    // By turns at any moment, and in the middle of a transaction that writes.
    if (kill % 2 === 0) await sleep(randomBetween(0, 1_500));
    else await untilWriting(stack);
    await fold.kill();
    if (await isUnfinished(stack)) midway += 1;
    watermarks.push(await watermarkOf(stack));
  }
  fold.start();
  await waitFolded(stack);
  await fold.kill();
  const watermark = await watermarkOf(stack);
  const rows = await foldUndisturbed(stack, watermark);
  const faults: string[] = [];
  for (const table of COMPARED) {
    const [row] = await sql.unsafe(`
      select count(*)::int as n from (
        (select * from "${foldSchema}".${table} except all select * from ${UNDISTURBED}.${table}) union all
        (select * from ${UNDISTURBED}.${table} except all select * from "${foldSchema}".${table})) d`);
    if (row?.n !== 0) faults.push(`${table}: ${row?.n} rows differ from an undisturbed fold`);
  }
  await sql.unsafe(`drop schema ${UNDISTURBED} cascade`);
  fold.start();
  return {
    name: "kill -9 of the fold",
    figures: {
      kills: count,
      "of these with final facts not folded yet": midway,
      "different watermarks when killed": new Set(watermarks).size,
      "rows compared with an undisturbed fold": rows,
      "up to block": watermark,
    },
    faults,
  };
}

/** Sessions of the fold that have written something in an open transaction; undefined while it has no session. */
async function transactionsOf({ sql }: Stack): Promise<number | undefined> {
  const [row] = await sql`
    select count(*)::int as sessions, count(backend_xid)::int as writing
      from pg_stat_activity where application_name = 'tidemark-fold'`;
  return row?.sessions > 0 ? row?.writing : undefined;
}

async function untilWriting(stack: Stack): Promise<void> {
  for (const deadline = Date.now() + 3_000; Date.now() < deadline; await sleep(5))
    if ((await transactionsOf(stack)) !== 0) return;
}

const isUnfinished = (stack: Stack): Promise<boolean> =>
  withConnection(stack.databaseUrl, async (db) => {
    const ponder = await readProgress(db, stack.ponderSchema);
    return ponder !== undefined && (await watermarkOf(stack)) < ponder.foldableUpTo;
  });

async function watermarkOf(stack: Stack): Promise<number> {
  try {
    const foldSchema = await stack.foldSchema();
    const [meta] = await stack.sql.unsafe(`select watermark from "${foldSchema}".meta`);
    return Number(meta?.watermark ?? -1);
  } catch {
    return -1;
  }
}

async function withConnection<T>(databaseUrl: string, use: (db: postgres.ReservedSql) => Promise<T>): Promise<T> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const db = await sql.reserve();
  try {
    return await use(db);
  } finally {
    db.release();
    await sql.end({ timeout: 1 });
  }
}

/** Folds the same facts into another schema at one go; returns how many rows that makes. */
async function foldUndisturbed({ databaseUrl, ponderSchema, sql }: Stack, upTo: number): Promise<number> {
  await withConnection(databaseUrl, async (db) => {
    const ponder = await readProgress(db, ponderSchema);
    if (!ponder) throw new Error("there are no facts to fold");
    const identity = { chainId: PROOF_CHAIN_ID, ponderSchema: ponderSchema, foldSchema: UNDISTURBED, firstBlock: 0 };
    let { watermark } = await openFold(db, identity, ponder);
    while (watermark < upTo) {
      const staged = await stageFacts(db, { ponder: ponderSchema, fold: UNDISTURBED }, { after: watermark, upTo });
      await db.unsafe("begin");
      await foldHoldings(db, UNDISTURBED);
      await db.unsafe("commit");
      watermark = staged.upTo;
    }
  });
  const counts = COMPARED.map((table) => `(select count(*) from ${UNDISTURBED}.${table})`);
  const [row] = await sql.unsafe(`select (${counts.join(" + ")})::int as n`);
  return Number(row?.n ?? 0);
}

/** Resolves when everything final is folded. */
async function waitFolded(stack: Stack): Promise<void> {
  const { databaseUrl, ponderSchema, waitFor } = stack;
  await withConnection(databaseUrl, (db) =>
    waitFor("everything final folded", async () => {
      const ponder = await readProgress(db, ponderSchema);
      return ponder?.isReady === true && (await watermarkOf(stack)) >= ponder.foldableUpTo;
    }),
  );
}

/** Drops the fold's schema while all parts run and readers ask; every answer must be the same afterwards. */
export async function dropFold(stack: Stack): Promise<Outcome> {
  const { chain, sql } = stack;
  const foldSchema = await stack.foldSchema();
  await stack.waitSynced();
  await waitFolded(stack);
  const step = Math.max(1, Math.floor(chain.head() / 40));
  const blocks = Array.from({ length: Math.floor(chain.head() / step) }, (_, i) => i * step);
  const before = await readAnswers(stack, blocks);
  const readers = startReaders({ ...stack, count: 6, graceMs: 0, pauseMs: 20 });
  const droppedAt = Date.now();
  await dropSchema(sql, foldSchema);
  await waitFolded(stack);
  const rebuiltIn = Date.now() - droppedAt;
  await sleep(500);
  const tally = await readers.stop();
  const after = await readAnswers(stack, blocks);
  const changed = changedAnswers(before, after);
  return {
    name: "the fold's schema dropped while everything runs",
    figures: {
      "rebuilt within": `${rebuiltIn} ms`,
      ...figuresOf(tally),
      "answers compared with those before": before.size,
    },
    faults: [
      ...tally.wrong,
      ...changed.map((key) => `the answer changed: ${key}`),
      ...(tally.unavailable.has("INDEX_FOLDING") ? [] : ["no reader was told INDEX_FOLDING: nothing was shown"]),
    ],
  };
}
