// Phase 2: blocks of 300 transfers at the head: how fast a burst is processed, and how long one block takes until it is answered.
import { setTimeout as sleep } from "node:timers/promises";
import { POLLING_MS, rewindChain, type Workbench } from "../ground/workbench.ts";
import type { Indexer, RunningIndexer } from "./indexer.ts";
import { checkBalances } from "./truth.ts";

export interface LiveRun {
  app: Indexer["name"];
  round: number;
  /** Transfers a second while a burst of blocks is processed: from the new head to its answer. */
  burstEventsPerS: number;
  /** Milliseconds from a block being available at the node to its rows being committed, per block. */
  indexedMs: number[];
  /** The same to its balances being answered. */
  delaysMs: number[];
  /** Bytes by which the system catalogs have grown in the database meanwhile. */
  catalogGrowth: number;
}

const POLL_MS = 3;
const PATIENCE_MS = 600_000;
const SPACING_MS = 1_000;
/** Added to that: a different part of the polling interval for every block, so that no app's polls get in step with the blocks. */
const shiftMs = (block: number): number => (block * 37) % POLLING_MS;
/** The first live blocks are slow in every process (code and plans are cold): not measured. */
const WARM_BLOCKS = 5;

/** Asking the gateway too early would take time from the indexer: so first wait until the block is indexed at all. */
async function waitForAnswer(
  running: RunningIndexer,
  block: number,
): Promise<{ indexedAt: number; answeredAt: number }> {
  const indexedAt = await reach(block, () => running.indexedBlock());
  const answeredAt = await reach(block, () => running.answeredBlock(block));
  return { indexedAt, answeredAt };
}

async function reach(block: number, read: () => Promise<number>): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  while ((await read()) < block) {
    if (performance.now() > deadline) throw new Error(`block ${block} was not answered within ${PATIENCE_MS} ms`);
    await sleep(POLL_MS);
  }
  return performance.now();
}

async function catalogBytes({ sql }: Workbench): Promise<number> {
  const [row] = await sql`
    select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
     where relkind = 'r' and relnamespace = 'pg_catalog'::regnamespace`;
  return Number(row?.bytes);
}

export interface LiveOptions {
  round: number;
  burstBlocks: number;
  singleBlocks: number;
}

/** From an app that is started for it. */
export async function runLive(bench: Workbench, app: Indexer, options: LiveOptions): Promise<LiveRun> {
  await app.drop();
  await rewindChain(bench);
  const running = await app.start();
  try {
    await running.answerableAt;
    return await followHead(bench, { app, running }, options);
  } finally {
    await running.stop();
    await app.drop();
  }
}

/** The app has answered up to the head of the backfilled part. */
export async function followHead(
  bench: Workbench,
  { app, running }: { app: Indexer; running: RunningIndexer },
  { round, burstBlocks, singleBlocks }: LiveOptions,
): Promise<LiveRun> {
  const { chain, rpc } = bench;
  await waitForAnswer(running, chain.baseHead);
  const lastWarm = chain.baseHead + WARM_BLOCKS;
  const lastOfBurst = lastWarm + burstBlocks;
  chain.transfersOf(lastOfBurst + singleBlocks);
  rpc.setHead(lastWarm);
  await waitForAnswer(running, lastWarm);
  const catalogs = await catalogBytes(bench);
  const burstFrom = performance.now();
  rpc.setHead(lastOfBurst);
  const burstS = ((await waitForAnswer(running, lastOfBurst)).answeredAt - burstFrom) / 1000;
  const indexedMs: number[] = [];
  const delaysMs: number[] = [];
  for (let block = lastOfBurst + 1; block <= lastOfBurst + singleBlocks; block++) {
    await sleep(SPACING_MS + shiftMs(block));
    const from = performance.now();
    rpc.setHead(block);
    const { indexedAt, answeredAt } = await waitForAnswer(running, block);
    indexedMs.push(indexedAt - from);
    delaysMs.push(answeredAt - from);
  }
  await checkBalances(app, chain, lastOfBurst + singleBlocks);
  const burstEventsPerS = (burstBlocks * chain.shape.transfersPerLiveBlock) / burstS;
  const catalogGrowth = (await catalogBytes(bench)) - catalogs;
  return { app: app.name, round, burstEventsPerS, indexedMs, delaysMs, catalogGrowth };
}
