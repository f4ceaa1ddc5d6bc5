// A process of its own that writes live blocks and folds the final ones, with the fold's own loop. Its parent sends the
// world and how many blocks; it ends when they are written, or when its parent asks it to.
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import postgres from "postgres";
import { undelayed } from "../../database/undelayed.ts";
import { FoldLoop } from "../../fold/fold-loop.ts";
import { sequence } from "../../fold/sequential-step.ts";
import { BENCH_CHAIN_ID } from "../ground/workbench.ts";
import { writeBlock } from "./facts.ts";
import { type LiveWorld, transfersOf } from "./live-transfers.ts";

export interface LiveOrder {
  databaseUrl: string;
  ponderSchema: string;
  foldSchema: string;
  world: LiveWorld;
  head: number;
  everyMs: number;
}

/** What the process sends: the block it has just committed. */
export interface LiveNews {
  block: number;
}

async function write(order: LiveOrder): Promise<void> {
  const { databaseUrl, ponderSchema, foldSchema, world, everyMs } = order;
  const options = { max: 1, ...undelayed(), onnotice: () => {} } as const;
  const facts = postgres(databaseUrl, options);
  const db = postgres(databaseUrl, options);
  const log = pino({ level: "info", base: { part: "fold" } });
  const identity = { chainId: BENCH_CHAIN_ID, ponderSchema, foldSchema, firstBlock: 0, weth9: [], erc4626: [] };
  const loop = new FoldLoop(db, { identity, steps: sequence(db, foldSchema, []), log });
  const folding = loop.run();
  let isStopping = false;
  process.once("SIGTERM", () => {
    isStopping = true;
  });
  for (let block = order.head + 1; !isStopping; block++) {
    const next = performance.now() + everyMs;
    await writeBlock(facts, ponderSchema, { block, transfers: transfersOf(world, block) });
    process.send?.({ block } satisfies LiveNews);
    await sleep(Math.max(next - performance.now(), 0));
  }
  loop.stop();
  await folding;
  await Promise.all([db.end(), facts.end()]);
  process.disconnect?.();
}

process.once("message", (order) => {
  write(order as LiveOrder).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
