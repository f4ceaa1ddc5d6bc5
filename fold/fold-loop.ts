// The fold's main loop: fold final facts in sets, then follow the head block by block; keep the tables in shape, switch
// gateways.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { BlocksAfter } from "../core/blocks-after.ts";
import { isLockLost, isMissingTable } from "../database/error-codes.ts";
import type { ReadMissing } from "./contracts/read-missing.ts";
import { type PonderProgress, readProgress } from "./facts/facts-reader.ts";
import { foldBatch } from "./fold-batch.ts";
import { type FoldIdentity, type FoldStanding, openFold, registerBuild } from "./fold-schema.ts";
import { createCutBackWatch } from "./follow/cut-back.ts";
import { HeadFollower, type Turn } from "./follow/follow-head.ts";
import type { NodeBlocks } from "./node/chain-standing.ts";
import type { StepSequence } from "./sequential-step.ts";
import { Serving } from "./serving/serving.ts";
import { quoted } from "./tables.ts";
import { createFactIndexer } from "./upkeep/fact-indexes.ts";
import { FirstLoad } from "./upkeep/first-load.ts";

const IDLE_MS = 100;
/** Between two checks for a new block. */
const POLL_MS = 15;
/** Between two checks of everything that is not a new block. */
const PREPARE_EVERY_MS = 500;

export interface FoldSetting {
  /** Another connection, on which indexes are built and tables vacuumed while the first folds. */
  upkeepDb?: Sql;
  /** One more, on which steps read facts while the first writes. */
  factsDb?: Sql;
  identity: FoldIdentity;
  steps: StepSequence;
  log: Logger;
  /** Whether everything that must be read from the chain has been read: gateways are not moved here before. */
  isComplete?: () => boolean;
  /** Reads what blocks wait for. */
  readMissing?: ReadMissing;
  /** The node that shows whether the chain was cut back. */
  node?: NodeBlocks;
  /** Reports that the loop runs; with `long`, before work that may take minutes, that it will be silent for long. */
  sign?: (ahead?: "long") => Promise<void>;
  /** How long facts and folds that gateways no longer read are kept; undefined: for ever. */
  keepOldSeconds?: number | undefined;
}

export class FoldLoop {
  readonly #db: Sql;
  readonly #setting: FoldSetting;
  readonly #sign: (ahead?: "long") => Promise<void>;
  readonly #follower: HeadFollower;
  readonly #cutBack: ReturnType<typeof createCutBackWatch>;
  readonly #indexFacts: () => void;
  readonly #serving: Serving;
  #load: FirstLoad;
  #isRegistered = false;
  #isFollowing = false;
  #isCatchingUp = false;
  #preparedAt = Number.NEGATIVE_INFINITY;
  /** Ponder's newest block and its finality as they were when there was nothing left to do about them. */
  #settledNewest: string | undefined;
  #isStopping = false;
  #wake: (() => void) | undefined;

  constructor(db: Sql, setting: FoldSetting) {
    const { identity, steps, log, upkeepDb, keepOldSeconds, readMissing, node, sign = async () => {} } = setting;
    const { ponderSchema, foldSchema, chainId } = identity;
    this.#db = db;
    this.#setting = setting;
    this.#sign = sign;
    const schemas = { ponder: ponderSchema, fold: foldSchema };
    this.#follower = new HeadFollower(db, { chainId, schemas, steps, log, readMissing });
    this.#cutBack = createCutBackWatch({ node, follower: this.#follower, log });
    this.#indexFacts = createFactIndexer(upkeepDb ?? db, { ponderSchema, log });
    this.#serving = new Serving(db, { identity, log, keepOldSeconds });
    this.#load = this.#newLoad();
  }

  /** Runs until `stop`; database errors other than a dropped schema end it. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#sign();
      const rest = await this.#safeTurn();
      if (rest > 0 && !this.#isStopping) await this.#pause(rest);
    }
  }

  stop(): void {
    this.#isStopping = true;
    this.#wake?.();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #newLoad(): FirstLoad {
    const { identity, steps, log, upkeepDb } = this.#setting;
    const setting = { foldSchema: identity.foldSchema, stepTables: steps.tables, log, upkeepDb, sign: this.#sign };
    return new FirstLoad(this.#db, setting);
  }

  /** The tables are no longer those that were followed: the newest block is read again, even if it is the same. */
  #readAnew(): void {
    this.#follower.forget();
    this.#settledNewest = undefined;
  }

  /** A turn that survives a dropped schema, which the next turn creates again, and locks that others hold. */
  async #safeTurn(): Promise<number> {
    try {
      return await this.#turn();
    } catch (error) {
      const isGone = isMissingTable(error);
      if (!isGone && !isLockLost(error)) throw error;
      this.#isFollowing = false;
      this.#readAnew();
      const { log } = this.#setting;
      if (isGone) log.warn({ error: String(error) }, "a schema was dropped; starting over");
      else log.debug({ error: String(error) }, "Ponder has its tables locked");
      return isGone ? IDLE_MS : POLL_MS;
    }
  }

  /** One turn; resolves to how long to rest before the next. */
  async #turn(): Promise<number> {
    const isDue = !this.#isFollowing || performance.now() - this.#preparedAt > PREPARE_EVERY_MS;
    if (isDue) {
      const prepared = await this.#prepare();
      this.#isFollowing = prepared === "following";
      if (prepared === "batched") return 0;
      if (prepared === "waiting") return this.#isCatchingUp ? 0 : IDLE_MS;
    }
    const rest = await this.#follow();
    if (!this.#isCatchingUp) return rest;
    this.#isCatchingUp = await this.#setting.steps.catchUp();
    return 0;
  }

  /** Opens the fold, folds what is final in sets, and does what is seldom due; resolves to whether the head can be followed. */
  async #prepare(): Promise<"batched" | "waiting" | "following"> {
    const { steps, identity } = this.#setting;
    const ponder = await readProgress(this.#db, identity.ponderSchema);
    if (!ponder) return "waiting";
    const { finalized, head } = await this.#open(ponder);
    if (head === finalized && ponder.foldableUpTo > head) {
      const upTo = await steps.readyUpTo({ after: head, upTo: ponder.foldableUpTo });
      if (upTo <= head) return "waiting";
      await this.#foldFinal({ after: head, upTo });
      return "batched";
    }
    this.#isCatchingUp = await steps.catchUp();
    if (!ponder.isReady && head === finalized) return "waiting";
    // gateways do not move to an index in which something still catches up
    if (ponder.isReady && !this.#isCatchingUp) await this.#caughtUp();
    await this.#cutBack.check({ facts: ponder.head ?? -1, head });
    this.#preparedAt = performance.now();
    return "following";
  }

  /** Opens this fold's schema, making it anew where it is not this fold's; resolves to how far it is. */
  async #open(ponder: PonderProgress): Promise<FoldStanding> {
    const { identity, steps, log } = this.#setting;
    const { isNew, ...standing } = await openFold(this.#db, identity, ponder);
    if (!this.#isRegistered) await registerBuild(this.#db, identity, { isNew: false });
    this.#isRegistered = true;
    if (isNew) {
      log.info({ schema: identity.foldSchema, from: standing.head + 1 }, "folding from the first block");
      this.#load = this.#newLoad();
      steps.forget();
      this.#readAnew();
    }
    return standing;
  }

  async #foldFinal(range: BlocksAfter): Promise<void> {
    const { identity, steps, factsDb, log } = this.#setting;
    const started = performance.now();
    await this.#sign("long");
    const batch = { identity, steps, range, beside: factsDb };
    const { upTo, facts, changes, quarantined, stepRows } = await foldBatch(this.#db, batch);
    this.#readAnew();
    await this.#sign();
    const ms = Math.round(performance.now() - started);
    log.info({ upTo, of: range.upTo, facts, changes, quarantined, stepRows, ms }, "folded");
    await this.#load.grew({ changes, stepRows });
  }

  /** Everything final is folded. */
  async #caughtUp(): Promise<void> {
    const { upkeepDb, isComplete = () => true } = this.#setting;
    await this.#load.finish();
    const { isTended } = this.#load;
    if (upkeepDb && isTended) this.#indexFacts();
    // there is no hurry while gateways read an older index
    await this.#serving.offer({ isComplete: isTended && isComplete() });
  }

  async #follow(): Promise<number> {
    const newest = await this.#readNewest();
    if (newest === this.#settledNewest) return POLL_MS;
    const started = performance.now();
    const done = await this.#follower.turn();
    if (!done) return POLL_MS;
    const { merged, isBehind, waitsForChain, picture } = done;
    const isExtended = picture.next.upTo > picture.next.common;
    if (isExtended) this.#logExtended(done, started);
    this.#settledNewest = isBehind || waitsForChain ? undefined : newest;
    await this.#load.merged(merged);
    if (isBehind && (merged > 0 || isExtended)) return 0;
    return waitsForChain ? IDLE_MS : POLL_MS;
  }

  /** What Ponder's newest block and its finality are now, as one text. */
  async #readNewest(): Promise<string> {
    const p = quoted(this.#setting.identity.ponderSchema);
    const [row] = await this.#db.unsafe(
      `select (select number || ' ' || hash from ${p}.block order by number desc limit 1) as head,
              (select safe_checkpoint from ${p}._ponder_checkpoint limit 1) as safe`,
      [],
      { prepare: true },
    );
    return `${row?.head} ${row?.safe}`;
  }

  #logExtended({ picture, changes, stepRows }: Turn, started: number): void {
    const { common, upTo } = picture.next;
    const facts = [...picture.counts.blocks.values()].reduce((sum, { total }) => sum + total, 0);
    const ms = Math.round(performance.now() - started);
    this.#setting.log.info({ upTo, blocks: upTo - common, facts, changes, stepRows, ms }, "followed");
  }
}
