// Phase 1: from Ponder's start to answerable balances, with the RPC cache warm, one app at a time.

import { rewindChain, type Workbench } from "../ground/workbench.ts";
import { cpuSeconds } from "./cpu-seconds.ts";
import type { Indexer, RunningIndexer } from "./indexer.ts";
import { checkBalances } from "./truth.ts";

export interface BackfillRun {
  app: Indexer["name"];
  round: number;
  /** Seconds from the start of Ponder's process, its start-up included. */
  wholeS: number;
  /** Seconds from the end of Ponder's start-up ("Started backfill indexing") to answerable balances: the claimed one. */
  answerableS: number;
  /** The same until every table is vacuumed. */
  settledS: number;
  /** Seconds of Ponder's own backfill. */
  indexingS: number;
  eventsPerS: number;
  /** Processor seconds until nothing is left to do, of the app's processes and the database's, start-up included. */
  cpuS: number;
  bytes: Record<string, number>;
  totalBytes: number;
  balancesChecked: number;
  /** `eth_getLogs` requests for ranges of blocks: 0 when the cache was warm. */
  logRequests: number;
}

const seconds = (from: number, to: number): number => (to - from) / 1000;

/** What is done with an app once it is measured, before it is stopped. */
export type Sequel = (app: Indexer, running: RunningIndexer) => Promise<void>;

/** One run with nothing but the RPC cache; afterwards the app is stopped, and its tables are left for the caller. */
async function runBackfill(
  bench: Workbench,
  app: Indexer,
  { round, sequel }: { round: number; sequel?: Sequel | undefined },
): Promise<BackfillRun> {
  const { chain, rpc } = bench;
  await app.drop();
  await rewindChain(bench);
  rpc.requests.clear();
  const databaseCpu = cpuSeconds([bench.databasePid]);
  const running = await app.start();
  try {
    const [indexingFrom, indexedAt, answerableAt, settledAt] = await Promise.all([
      running.indexingFrom,
      running.indexedAt,
      running.answerableAt,
      running.settledAt,
    ]);
    const cpuS = cpuSeconds([...running.pids, bench.databasePid]) - databaseCpu;
    const balancesChecked = await checkBalances(app, chain, chain.lastFinal);
    const bytes = await app.bytes();
    const answerableS = seconds(indexingFrom, answerableAt);
    const logRequests = rpc.requests.get("eth_getLogs by range") ?? 0;
    await sequel?.(app, running);
    return {
      app: app.name,
      round,
      wholeS: seconds(running.startedAt, answerableAt),
      answerableS,
      settledS: seconds(indexingFrom, settledAt),
      indexingS: seconds(indexingFrom, indexedAt),
      eventsPerS: chain.shape.events / answerableS,
      cpuS,
      bytes,
      totalBytes: Object.values(bytes).reduce((sum, size) => sum + size, 0),
      balancesChecked,
      logRequests,
    };
  } finally {
    await running.stop();
  }
}

/**
 * Fills the RPC cache with a run of each app, which `sequel` goes on with, then `rounds` measured runs of each, the first one
 * alternating.
 */
export async function measureBackfill(
  bench: Workbench,
  apps: readonly Indexer[],
  options: { rounds: number; report: (run: BackfillRun) => void; sequel?: Sequel | undefined },
): Promise<BackfillRun[]> {
  for (const app of apps) options.report(await runBackfill(bench, app, { round: 0, sequel: options.sequel }));
  const runs: BackfillRun[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const order = round % 2 === 1 ? apps : [...apps].reverse();
    for (const app of order) {
      const run = await runBackfill(bench, app, { round });
      await app.drop();
      options.report(run);
      runs.push(run);
    }
  }
  for (const app of apps) await app.drop();
  return runs;
}
