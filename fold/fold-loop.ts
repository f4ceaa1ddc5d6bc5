// The fold's heartbeat: find out how far facts are final, fold that far, keep the tables in shape, switch gateways.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import { createFactIndexer } from "./fact-indexes.ts";
import { type PonderProgress, readProgress } from "./facts-reader.ts";
import { foldHoldings } from "./fold-holdings.ts";
import { type FoldIdentity, finishLoad, hasIndexes, isLive, openFold, pointGateways } from "./fold-schema.ts";
import { dropSuperseded } from "./prune.ts";
import type { FoldRange, StepSequence } from "./sequential-step.ts";
import { stageFacts } from "./stage-facts.ts";
import { quoted } from "./tables.ts";
import { registerBuild, takeOver } from "./takeover.ts";
import { createUpkeep } from "./upkeep.ts";

const IDLE_MS = 100;
/** A load without indexes is a third faster. One that takes longer than this gets them before it ends, to be read. */
const LONGEST_UNINDEXED_MS = 180_000;
const PRUNE_EVERY_MS = 5_000;

/** The schema or a table is gone: somebody dropped it. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "42P01" || error.code === "3F000");

interface Batch {
  identity: FoldIdentity;
  steps: StepSequence;
  range: FoldRange;
}

/** Folds one batch of final facts; all rows, quarantine and watermark commit together. */
async function foldBatch(db: Sql, { identity, steps, range }: Batch) {
  const batch = await stageFacts(db, { ponder: identity.ponderSchema, fold: identity.foldSchema }, range);
  await steps.take({ after: range.after, upTo: batch.upTo });
  await db.unsafe("begin");
  try {
    // Locks the meta row: a fold that lost its schema or its turn fails here, before writing anything.
    const [meta] = await db.unsafe(`select watermark from ${quoted(identity.foldSchema)}.meta for update`);
    if (meta?.watermark !== range.after)
      throw new Error(`watermark moved from ${range.after} to ${meta?.watermark} under the fold`);
    const folded = await foldHoldings(db, identity.foldSchema);
    const stepRows = await steps.write();
    await db.unsafe(
      `update ${quoted(identity.foldSchema)}.meta set watermark = $1, folded_facts = folded_facts + $2, updated_at = now()`,
      [batch.upTo, batch.facts],
    );
    await db.unsafe("commit");
    steps.keep();
    return { ...batch, ...folded, stepRows };
  } catch (error) {
    await db.unsafe("rollback");
    throw error;
  }
}

export interface FoldLoop {
  /** Runs until `stop`; database errors other than a dropped schema end it. */
  run(): Promise<void>;
  stop(): void;
}

export interface FoldSetting {
  /** Another connection, for statements that can run beside those of the first. */
  second?: Sql;
  identity: FoldIdentity;
  steps: StepSequence;
  log: Logger;
  /** Whether everything is read that the chain alone tells: gateways are not moved here before. */
  isComplete?: () => boolean;
  /** How long facts and folds stay that gateways have left; undefined: for ever. */
  keepOldSeconds?: number | undefined;
}

export function createFoldLoop(db: Sql, setting: FoldSetting): FoldLoop {
  const { identity, steps, log, second, isComplete = () => true, keepOldSeconds } = setting;
  const { foldSchema, ponderSchema } = identity;
  let stopping = false;
  let wake: (() => void) | undefined;
  const newUpkeep = () =>
    createUpkeep(second ?? db, { foldSchema, stepTables: steps.tables, isBeside: second !== undefined });
  let upkeep = newUpkeep();
  const indexFacts = createFactIndexer(second ?? db, { ponderSchema, log });
  let loadStartedAt = performance.now();
  let isRegistered = false;
  let servedBefore: boolean | undefined;
  let prunedAt = performance.now();

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const buildIndexes = async (): Promise<void> => {
    if (await hasIndexes(db, foldSchema)) return;
    await finishLoad(second ? [db, second] : [db], { foldSchema, stepTables: steps.tables });
    log.info({ schema: foldSchema }, "indexes built");
  };

  const caughtUp = async (ponder: PonderProgress) => {
    if (!ponder.isReady) return;
    await buildIndexes();
    if (second) indexFacts();
    const isServed = (await isLive(db, identity)) || (isComplete() && (await takeOver(db, identity)));
    noteServed(isServed);
    if (isServed && performance.now() - prunedAt > PRUNE_EVERY_MS) await prune();
  };

  const noteServed = (isServed: boolean): void => {
    if (isServed && servedBefore !== true) log.info({ schema: foldSchema }, "gateways read this fold now");
    if (!isServed && servedBefore === true) log.info({ schema: foldSchema }, "gateways read a newer index now");
    servedBefore = isServed;
  };

  const prune = async (): Promise<void> => {
    prunedAt = performance.now();
    for (const schema of await dropSuperseded(db, identity, keepOldSeconds))
      log.info({ schema }, "dropped what no gateway reads any more");
  };

  /** Opens this fold's schema, making it anew where it is not this fold's; resolves to its watermark. */
  const open = async (ponder: PonderProgress): Promise<number> => {
    const { watermark, isNew } = await openFold(db, identity, ponder);
    if (isNew || !isRegistered) await registerBuild(db, identity, { isNew });
    isRegistered = true;
    if (isNew) {
      log.info({ schema: foldSchema, from: watermark + 1 }, "folding from the first block");
      loadStartedAt = performance.now();
      upkeep = newUpkeep();
      steps.forget();
      await pointGateways(db, identity);
    }
    return watermark;
  };

  const fold = async (range: FoldRange): Promise<void> => {
    const started = performance.now();
    const { upTo, facts, changes, quarantined, stepRows } = await foldBatch(db, { identity, steps, range });
    log.info(
      { upTo, of: range.upTo, facts, changes, quarantined, stepRows, ms: Math.round(performance.now() - started) },
      "folded",
    );
    if (await hasIndexes(db, foldSchema)) await upkeep.tend({ changes, stepRows });
    else if (performance.now() - loadStartedAt > LONGEST_UNINDEXED_MS) await buildIndexes();
  };

  /** One turn; resolves to how long to rest before the next. */
  const turn = async (): Promise<number> => {
    const ponder = await readProgress(db, ponderSchema);
    if (!ponder) return IDLE_MS;
    const after = await open(ponder);
    if (ponder.foldableUpTo <= after) {
      await caughtUp(ponder);
      return IDLE_MS;
    }
    const upTo = await steps.readyUpTo({ after, upTo: ponder.foldableUpTo });
    if (upTo <= after) return IDLE_MS;
    await fold({ after, upTo });
    return 0;
  };

  /** A turn that survives a dropped schema: the next one makes it anew. */
  const safeTurn = (): Promise<number> =>
    turn().catch((error: unknown) => {
      if (!isGone(error)) throw error;
      log.warn({ error: String(error) }, "a schema was dropped; starting over");
      return IDLE_MS;
    });

  return {
    async run() {
      while (!stopping) {
        const rest = await safeTurn();
        if (rest > 0 && !stopping) await pause(rest);
      }
    },
    stop() {
      stopping = true;
      wake?.();
    },
  };
}
