// Made-up facts, folded by the product's own fold.
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import postgres, { type Sql } from "postgres";
import type { ChainFile } from "../chains/chain-file.ts";
import { FoldLoop } from "../fold/fold-loop.ts";
import { ensureDeployment } from "../fold/fold-schema.ts";
import { sequence } from "../fold/sequential-step.ts";
import { createSteps } from "../fold/steps.ts";
import { quoted } from "../fold/tables.ts";
import { hasIndexes } from "../fold/upkeep/index-load.ts";
import { BENCH_CHAIN_ID } from "./ground/workbench.ts";

export const PONDER_SCHEMA = "facts_made";
export const FOLD_SCHEMA = "fold_made";

const FOLD_POLL_MS = 100;

/** Folds `PONDER_SCHEMA`, from the first fact to the indexes; its last block is `head`. */
export async function foldFacts(
  db: Sql,
  { chain, databaseUrl, head }: { chain: ChainFile; databaseUrl: string; head: number },
): Promise<void> {
  const log = pino({ level: "warn" });
  const schemas = { ponder: PONDER_SCHEMA, fold: FOLD_SCHEMA };
  const identity = {
    chainId: BENCH_CHAIN_ID,
    ponderSchema: PONDER_SCHEMA,
    foldSchema: FOLD_SCHEMA,
    firstBlock: 0,
    weth9: [],
    erc4626: [],
  };
  await ensureDeployment(db);
  const loop = new FoldLoop(db, {
    identity,
    steps: sequence(db, FOLD_SCHEMA, createSteps(db, { chain, schemas, log })),
    log,
  });
  let failure: unknown;
  const running = loop.run().catch((error: unknown) => {
    failure = error;
  });
  const poller = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    while (failure === undefined && !(await isFolded(poller, head))) await sleep(FOLD_POLL_MS);
  } finally {
    loop.stop();
    await running;
    await poller.end({ timeout: 2 });
  }
  if (failure !== undefined) throw failure;
}

async function isFolded(db: Sql, head: number): Promise<boolean> {
  const [there] = await db`select to_regclass(${`${FOLD_SCHEMA}.meta`}) is not null as there`;
  if (!there?.there) return false;
  const [meta] = await db.unsafe(`select finalized from ${quoted(FOLD_SCHEMA)}.meta`);
  return meta?.finalized === head && (await hasIndexes(db, FOLD_SCHEMA));
}
