// kill -9 of the fold at random moments, and its schema dropped while everything runs: neither may change what it holds.
import { setTimeout as sleep } from "node:timers/promises";
import { readProgress } from "../../fold/facts/facts-reader.ts";
import { changedAnswers, readAnswers } from "./answers.ts";
import { dropSchema } from "./drop-schema.ts";
import { compareFold, finalizedOf, waitFolded, withConnection } from "./fold-comparison.ts";
import { type Outcome, randomBetween } from "./outcome.ts";
import { figuresOf } from "./ponder-kills.ts";
import { startReaders } from "./readers.ts";
import type { Stack } from "./stack.ts";

/** `count` kills while final blocks keep coming; every fifth time it starts over from nothing. */
export async function killFold(stack: Stack, { count }: { count: number }): Promise<Outcome> {
  const { chain, fold, sql } = stack;
  const foldSchema = await stack.foldSchema();
  const finals: number[] = [];
  let midway = 0;
  for (let kill = 0; kill < count; kill++) {
    await fold.kill();
    if (kill % 5 === 4) await dropSchema(sql, foldSchema);
    // Finality moves in steps of 30 blocks: each round has one more step to fold.
    for (let block = 0; block < 30; block++) await chain.mine(10);
    fold.start();
    await stack.waitFor("the fold's session", async () => (await transactionsOf(stack)) !== undefined);
    // Alternately at any moment, and in the middle of a transaction that writes.
    if (kill % 2 === 0) await sleep(randomBetween(0, 1_500));
    else await untilWriting(stack);
    await fold.kill();
    if (await isUnfinished(stack)) midway += 1;
    finals.push(await finalizedOf(stack));
  }
  fold.start();
  const { rows, finalized, faults } = await compareFold(stack);
  return {
    name: "kill -9 of the fold",
    figures: {
      kills: count,
      "of these with final facts not folded yet": midway,
      "different last final blocks when killed": new Set(finals).size,
      "rows compared with an undisturbed fold": rows,
      "up to block": finalized,
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
    return ponder !== undefined && (await finalizedOf(stack)) < ponder.foldableUpTo;
  });

/** Drops the fold's schema while all parts run and readers ask; every answer must be the same afterwards. */
export async function dropFold(stack: Stack): Promise<Outcome> {
  const { chain, sql } = stack;
  const foldSchema = await stack.foldSchema();
  await stack.waitSynced();
  await waitFolded(stack);
  const step = Math.max(1, Math.floor(chain.head() / 40));
  const blocks = Array.from({ length: Math.floor(chain.head() / step) }, (_, i) => i * step);
  const before = await readAnswers(stack, blocks);
  const readers = startReaders({ ...stack, count: 6, pauseMs: 20 });
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
      ...(tally.unavailable.has("INDEX_FOLDING") ? [] : ["no reader got INDEX_FOLDING: nothing was proven"]),
    ],
  };
}
