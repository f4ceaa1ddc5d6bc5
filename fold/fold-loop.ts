// The fold's heartbeat: fold final facts in sets, then follow the head block by block; keep the tables in shape, switch
// gateways.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import { isLockLost, isMissingTable } from "../database/error-codes.ts";
import type { NodeBlocks } from "./chain-standing.ts";
import { createFactIndexer } from "./fact-indexes.ts";
import { type PonderProgress, readProgress } from "./facts-reader.ts";
import { foldBatch } from "./fold-batch.ts";
import {
  type FoldIdentity,
  type FoldStanding,
  hasIndexes,
  indexLoad,
  isLive,
  openFold,
  registerBuild,
} from "./fold-schema.ts";
import { createCutBackWatch } from "./follow/cut-back.ts";
import { HeadFollower, type Turn } from "./follow/follow-head.ts";
import { dropSuperseded } from "./prune.ts";
import type { FoldRange, StepSequence } from "./sequential-step.ts";
import { quoted } from "./tables.ts";
import { takeOver } from "./takeover.ts";
import { createUpkeep } from "./upkeep.ts";

const IDLE_MS = 100;
/** Between two looks for a new block. */
const POLL_MS = 15;
/** Between two looks at everything that is not a new block. */
const PREPARE_EVERY_MS = 500;
/** A load without indexes is a third faster. One that takes longer than this gets them before it ends, to be read. */
const LONGEST_UNINDEXED_MS = 180_000;
const PRUNE_EVERY_MS = 5_000;

export interface FoldLoop {
  /** Runs until `stop`; database errors other than a dropped schema end it. */
  run(): Promise<void>;
  stop(): void;
}

export interface FoldSetting {
  /** Another connection, for statements that can run beside those of the first. */
  second?: Sql;
  /** One more, on which steps read facts while the first writes. */
  third?: Sql;
  identity: FoldIdentity;
  steps: StepSequence;
  log: Logger;
  /** Whether everything is read that the chain alone tells: gateways are not moved here before. */
  isComplete?: () => boolean;
  /** Reads at once what blocks wait for that only the chain tells; resolves to how much was read. */
  readMissing?: () => Promise<number>;
  /** Where the chain is asked whether it was cut back. */
  node?: NodeBlocks;
  /** Tells that the loop goes on; before what may take minutes, that it will be silent for long. */
  sign?: (ahead?: "long") => Promise<void>;
  /** How long facts and folds stay that gateways have left; undefined: for ever. */
  keepOldSeconds?: number | undefined;
}

export function createFoldLoop(db: Sql, setting: FoldSetting): FoldLoop {
  const { identity, steps, log, second, third, isComplete = () => true, keepOldSeconds, readMissing, node } = setting;
  const sign = setting.sign ?? (async () => {});
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
  let preparedAt = Number.NEGATIVE_INFINITY;
  let isFollowing = false;
  let isCatchingUp = false;
  /** The indexes are built, the tables not yet vacuumed. */
  let isLoaded = false;
  let news: string | undefined;
  const schemas = { ponder: ponderSchema, fold: foldSchema };
  const follower = new HeadFollower(db, { chainId: identity.chainId, schemas, steps, log, readMissing });
  /** The tables are not what was followed: the newest block is read again, though it is the same. */
  const readAnew = () => {
    follower.forget();
    news = undefined;
  };
  const cutBack = createCutBackWatch({ node, follower, log });

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
    await sign("long");
    await indexLoad(second ? [db, second] : [db], { foldSchema, stepTables: steps.tables });
    await sign();
    log.info({ schema: foldSchema }, "indexes built");
    isLoaded = true;
  };

  /** Not right after the indexes: first the head is followed, and questions are answered that have waited for them. */
  const tendLoad = (): Promise<void> => {
    isLoaded = false;
    return upkeep.tendLoad(() => log.info({ schema: foldSchema }, "tables vacuumed"));
  };

  /** Everything final is folded. */
  const caughtUp = async () => {
    await (isLoaded && !upkeep.isWorking() ? tendLoad() : buildIndexes());
    const isTended = !isLoaded && !upkeep.isWorking();
    if (second && isTended) indexFacts();
    // who reads an older index is in no hurry
    const isServed = (await isLive(db, identity)) || (isTended && isComplete() && (await takeOver(db, identity)));
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

  /** Opens this fold's schema, making it anew where it is not this fold's; resolves to how far it is. */
  const open = async (ponder: PonderProgress): Promise<FoldStanding> => {
    const { isNew, ...standing } = await openFold(db, identity, ponder);
    if (!isRegistered) await registerBuild(db, identity, { isNew: false });
    isRegistered = true;
    if (isNew) {
      log.info({ schema: foldSchema, from: standing.head + 1 }, "folding from the first block");
      loadStartedAt = performance.now();
      upkeep = newUpkeep();
      isLoaded = false;
      steps.forget();
      readAnew();
    }
    return standing;
  };

  const fold = async (range: FoldRange): Promise<void> => {
    const started = performance.now();
    await sign("long");
    const batch = { identity, steps, range, beside: third };
    const { upTo, facts, changes, quarantined, stepRows } = await foldBatch(db, batch);
    readAnew();
    await sign();
    log.info(
      { upTo, of: range.upTo, facts, changes, quarantined, stepRows, ms: Math.round(performance.now() - started) },
      "folded",
    );
    if (await hasIndexes(db, foldSchema)) await upkeep.tend({ changes, stepRows, merged: 0 });
    else if (performance.now() - loadStartedAt > LONGEST_UNINDEXED_MS) await buildIndexes();
  };

  /** Opens the fold, folds what is final in sets, and looks after what is seldom due; resolves to whether the head is to be followed. */
  const prepare = async (): Promise<"batched" | "waiting" | "following"> => {
    const ponder = await readProgress(db, ponderSchema);
    if (!ponder) return "waiting";
    const { finalized, head } = await open(ponder);
    if (head === finalized && ponder.foldableUpTo > head) {
      const upTo = await steps.readyUpTo({ after: head, upTo: ponder.foldableUpTo });
      if (upTo <= head) return "waiting";
      await fold({ after: head, upTo });
      return "batched";
    }
    isCatchingUp = await steps.catchUp();
    if (!ponder.isReady && head === finalized) return "waiting";
    // gateways do not move to an index that is about to say more
    if (ponder.isReady && !isCatchingUp) await caughtUp();
    await cutBack.check({ facts: ponder.head ?? -1, head });
    preparedAt = performance.now();
    return "following";
  };

  /** What Ponder's newest block and its finality are now, as one text. */
  const readNews = async (): Promise<string> => {
    const p = quoted(ponderSchema);
    const [row] = await db.unsafe(
      `select (select number || ' ' || hash from ${p}.block order by number desc limit 1) as head,
              (select safe_checkpoint from ${p}._ponder_checkpoint limit 1) as safe`,
      [],
      { prepare: true },
    );
    return `${row?.head} ${row?.safe}`;
  };

  const logTurn = ({ picture, changes, stepRows }: Turn, started: number): void => {
    const { common, upTo } = picture.next;
    if (upTo === common) return;
    const facts = [...picture.counts.blocks.values()].reduce((sum, { total }) => sum + total, 0);
    const ms = Math.round(performance.now() - started);
    log.info({ upTo, blocks: upTo - common, facts, changes, stepRows, ms }, "followed");
  };

  const follow = async (): Promise<number> => {
    const seen = await readNews();
    if (seen === news) return POLL_MS;
    const started = performance.now();
    const done = await follower.turn();
    if (!done) return POLL_MS;
    logTurn(done, started);
    const { merged, isBehind } = done;
    const isMoved = merged > 0 || done.picture.next.upTo > done.picture.next.common;
    news = isBehind ? undefined : seen;
    if (merged > 0) await upkeep.tend({ changes: merged, stepRows: merged, merged });
    return isBehind && isMoved ? 0 : POLL_MS;
  };

  /** One turn; resolves to how long to rest before the next. */
  const turn = async (): Promise<number> => {
    const isDue = !isFollowing || performance.now() - preparedAt > PREPARE_EVERY_MS;
    if (isDue) {
      const prepared = await prepare();
      isFollowing = prepared === "following";
      if (prepared === "batched") return 0;
      if (prepared === "waiting") return isCatchingUp ? 0 : IDLE_MS;
    }
    const rest = await follow();
    if (!isCatchingUp) return rest;
    isCatchingUp = await steps.catchUp();
    return 0;
  };

  /** A turn that survives a dropped schema, which the next one makes anew, and locks that are taken. */
  const safeTurn = (): Promise<number> =>
    turn().catch((error: unknown) => {
      const isGone = isMissingTable(error);
      if (!isGone && !isLockLost(error)) throw error;
      isFollowing = false;
      readAnew();
      if (isGone) log.warn({ error: String(error) }, "a schema was dropped; starting over");
      else log.debug({ error: String(error) }, "Ponder has its tables locked");
      return isGone ? IDLE_MS : POLL_MS;
    });

  return {
    async run() {
      while (!stopping) {
        await sign();
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
