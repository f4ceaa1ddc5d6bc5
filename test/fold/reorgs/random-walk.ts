// A chain, Ponder-like tables that follow it by fits and starts, and a fold that follows those: one random event after the
// other, with the fold settled and looked over after each.
import { histories } from "../../../core/history/histories.ts";
import { type Random, seedRandom } from "../../../devnet/scenario/random.ts";
import type { FoldIdentity } from "../../../fold/fold-schema.ts";
import { deploymentDdl, quoted } from "../../../fold/tables.ts";
import type { TestDatabase } from "../../support/test-database.ts";
import { settingsKey, storeChainReads, storeMetadata, storeRefusals } from "./chain-reads.ts";
import { type Difference, foldDifferences, stateDifferences } from "./fold-differences.ts";
import { brokenRules } from "./fold-invariants.ts";
import { FollowedFold } from "./followed-fold.ts";
import { emptyFold, makeFold } from "./made-folds.ts";
import { PonderLikeTables, type ReportedBlock } from "./ponder-like-tables.ts";
import { type ChainBlock, RandomChain } from "./random-chain.ts";

const CHAIN_ID = 31337;
/** Folds of the same branch: block by block above what is final, and all in sets. */
const [FRESH, FINAL] = ["fold_fresh", "fold_final"];
/** Blocks that Ponder may still replace. */
const DEEPEST = 29;

const identityOf = (ponderSchema: string, foldSchema: string): FoldIdentity => ({
  ...{ chainId: CHAIN_ID, firstBlock: 0, weth9: [], erc4626: [] },
  ...{ ponderSchema, foldSchema },
});

export interface WalkCounts {
  events: number;
  reorgs: number;
  restarts: number;
  failures: number;
  comparisons: number;
  /** The most rows that a table had at a comparison. */
  rows: Record<string, number>;
}

export class RandomWalk {
  readonly counts: WalkCounts = { events: 0, reorgs: 0, restarts: 0, failures: 0, comparisons: 0, rows: {} };
  /** What happened, newest last. */
  readonly story: string[] = [];
  readonly #database: TestDatabase;
  readonly #random: Random;
  /** When the metadata of tokens are read. */
  readonly #reading: Random;
  readonly #chain: RandomChain;
  readonly #ponder: PonderLikeTables;
  /** The facts of the fold's own branch. */
  readonly #truth: PonderLikeTables;
  readonly #identity: FoldIdentity;
  readonly #fold: FollowedFold;
  /** Of the truth, by schema. */
  readonly #truthFolds = new Map<string, FollowedFold>();
  /** Blocks as last reported, by hash. */
  readonly #reported = new Map<string, ReportedBlock>();
  /** How often something fails: what is in memory lives long only where that is seldom. */
  readonly #failing: number;
  /** How often the node refuses to answer for an island. */
  readonly #refusing: number;
  /** Whether the node refuses, by island and block; at times it answers for all. */
  #refused = new Map<string, boolean>();
  /** The fold does not turn for now. */
  #isAsleep = false;
  /** Tips of branches that were left. */
  #left: ChainBlock[] = [];

  constructor(database: TestDatabase, seed: string) {
    this.#database = database;
    this.#random = seedRandom(`${seed}/walk`);
    this.#reading = seedRandom(`${seed}/metadata`);
    this.#failing = this.#random.pick([0.02, 0.1, 0.4]);
    this.#refusing = this.#random.pick([0.3, 0.9]);
    this.#chain = new RandomChain(seed);
    this.#ponder = new PonderLikeTables(database.sql, "facts_walk");
    this.#truth = new PonderLikeTables(database.sql, "facts_truth");
    this.#identity = identityOf("facts_walk", "fold_walk");
    const { url } = database;
    this.#fold = new FollowedFold({ url, identity: this.#identity, readMissing: () => this.#readMissing() });
  }

  async begin(): Promise<void> {
    const { sql } = this.#database;
    await sql.unsafe(`set client_min_messages = error; ${deploymentDdl}
      drop schema if exists facts_walk cascade; drop schema if exists facts_truth cascade`);
    const genesis = this.#report(this.#chain.genesis);
    await this.#ponder.create(genesis);
    await this.#truth.create(genesis);
    await makeFold(sql, this.#identity);
    for (const fold of [FRESH, FINAL]) await makeFold(sql, identityOf(this.#truth.schema, fold));
  }

  async end(): Promise<void> {
    await Promise.all([this.#fold, ...this.#truthFolds.values()].map((fold) => fold.stop()));
  }

  /** One event; what is wrong after it, in sentences. */
  async step(): Promise<string[]> {
    this.counts.events += 1;
    const depth = this.#ponder.head - (this.#ponder.safe - 1);
    const draw = this.#random.next();
    if (depth < 4 || draw < 0.36) await this.#grow();
    else if (draw < 0.68) await this.#reorg();
    else if (draw < 0.78) await this.#restartPonder();
    else if (draw < 0.96) await this.#finalize();
    else await this.#oversleep();
    if (this.#random.chance(0.06)) await this.#answerAll();
    const { sql } = this.#database;
    if (this.#reading.chance(0.3)) await storeMetadata(sql, this.#identity.foldSchema);
    return await brokenRules(sql, { fold: this.#identity.foldSchema, ponder: this.#ponder.schema });
  }

  async #settle(): Promise<void> {
    if (this.#isAsleep) return;
    const isFailing = this.#random.chance(this.#failing);
    const statements = this.#random.between(0, 70);
    const way = this.#random.between(0, 2);
    if (isFailing && way === 0) await this.#fold.restart();
    else if (isFailing && way === 1) this.#fold.loseLockAfter(statements);
    else if (isFailing) this.#fold.dieAfter(statements);
    if (await this.#fold.settle()) this.counts.failures += 1;
  }

  /** Reports a block, most of the time with all its facts. */
  #report(block: ChainBlock, isWhole = true): ReportedBlock {
    const { rows } = block;
    const before = this.#reported.get(block.hash);
    // a fold that does not read meanwhile cannot see that a block has been away
    if (this.#isAsleep && before !== undefined) return before;
    const isLeftOut = (table: string) => /_created$|^launch_pool$|^v3_initialize$/.test(table);
    const canMiss = !isWhole && rows.length > 0 && !rows.some(({ table }) => isLeftOut(table));
    const missing = canMiss ? this.#random.pick(rows) : undefined;
    const isAll = this.#random.chance(0.3);
    const reported = { block, rows: missing === undefined ? rows : isAll ? [] : rows.filter((row) => row !== missing) };
    this.#reported.set(block.hash, reported);
    return reported;
  }

  get #tip(): ChainBlock {
    return this.#ponder.path.at(-1)!.block;
  }

  #grown(parent: ChainBlock, count: number): ChainBlock[] {
    const blocks: ChainBlock[] = [];
    for (let i = 0; i < count; i += 1) blocks.push(this.#chain.grow(blocks.at(-1) ?? parent));
    return blocks;
  }

  /** Blocks that follow Ponder's newest, together or one by one. */
  async #bring(blocks: readonly ReportedBlock[]): Promise<void> {
    for (let left = [...blocks]; left.length > 0; ) {
      const next = left.splice(0, this.#random.pick([1, 1, 2, left.length]));
      await this.#ponder.append(next);
      await this.#settle();
    }
  }

  async #grow(): Promise<void> {
    const blocks = this.#grown(this.#tip, this.#random.pick([1, 1, 2, 3, 12]));
    this.story.push(`${blocks.length} new blocks up to ${blocks.at(-1)?.number}`);
    await this.#bring(blocks.map((block) => this.#report(block, !this.#random.chance(0.02))));
  }

  /** Another branch, or one that was left before. */
  #otherBranch(): { common: number; blocks: ChainBlock[] } {
    const { head, safe } = this.#ponder;
    const left = this.#random.chance(0.3) ? this.#branchOf(this.#left) : undefined;
    if (left !== undefined) return left;
    const depth = Math.min(this.#random.chance(0.5) ? this.#random.between(1, DEEPEST) : 2, head - (safe - 1));
    const common = head - Math.max(depth, 1);
    const length = this.#random.between(1, Math.max(depth, 1) + 2);
    return { common, blocks: this.#grown(this.#ponder.path[common]!.block, length) };
  }

  /** One of `tips` that meets Ponder's chain above what is final. */
  #branchOf(tips: readonly ChainBlock[]): { common: number; blocks: ChainBlock[] } | undefined {
    if (tips.length === 0) return undefined;
    const blocks: ChainBlock[] = [];
    let block: ChainBlock | undefined = this.#random.pick(tips);
    while (block !== undefined && this.#ponder.path[block.number]?.block !== block) {
      blocks.unshift(block);
      block = block.parent;
    }
    const common = block?.number ?? -1;
    return common < this.#ponder.safe - 1 || blocks.length === 0 ? undefined : { common, blocks };
  }

  #leave(): void {
    this.#left = [...this.#left.slice(-8), this.#tip];
  }

  async #reorg(): Promise<void> {
    const { common, blocks } = this.#otherBranch();
    this.counts.reorgs += 1;
    this.story.push(`blocks ${common + 1} to ${this.#ponder.head} replaced by ${blocks.length}`);
    this.#leave();
    const reported = blocks.map((block) => this.#report(block, !this.#random.chance(0.02)));
    const atOnce = this.#random.pick([0, 1, reported.length]);
    await this.#ponder.replaceAfter(common, reported.slice(0, atOnce));
    await this.#settle();
    await this.#bring(reported.slice(atOnce));
  }

  /** Rows above what is final vanish, and come back: the same, with other facts, or of another branch. */
  async #restartPonder(): Promise<void> {
    this.counts.restarts += 1;
    const { safe, path } = this.#ponder;
    const cut = this.#random.chance(0.7) ? safe - 1 : this.#random.between(safe - 1, this.#ponder.head);
    const lost = path.slice(cut + 1).map(({ block }) => block);
    this.story.push(`Ponder restarts at ${cut}, had ${this.#ponder.head}`);
    this.#leave();
    await this.#ponder.replaceAfter(cut, []);
    await this.#settle();
    // the node has no such blocks any more
    if (this.#random.chance(0.2)) await this.#fold.goBackTo(this.#random.between(cut, cut + lost.length));
    const back = lost.slice(0, this.#random.chance(0.7) ? lost.length : this.#random.between(0, lost.length));
    const changed = this.#random.chance(0.4) ? this.#random.between(0, lost.length) : -1;
    await this.#bring(back.map((block, i) => this.#report(block, i !== changed)));
    if (back.length < lost.length) await this.#bring(this.#grown(this.#tip, 2).map((block) => this.#report(block)));
  }

  async #finalize(): Promise<void> {
    const { head, safe } = this.#ponder;
    const step = this.#random.pick([1, 7, 7, 30]);
    const keep = this.#random.pick([0, 10, 20, 30]);
    const next = Math.max(safe, Math.min(safe + step, head - keep + this.#random.between(0, 1)));
    this.story.push(`final below ${next}`);
    await this.#ponder.finalizeBelow(next);
    this.#chain.forgetUpTo(next - 2);
    await this.#settle();
  }

  /** Much happens before the fold reads again; some of it is final by then. */
  async #oversleep(): Promise<void> {
    this.#isAsleep = true;
    this.story.push("the fold sleeps");
    await this.#reorg();
    for (let i = 0; i < 4; i += 1) await this.#grow();
    await this.#finalize();
    await this.#finalize();
    this.story.push("and wakes");
    this.#isAsleep = false;
    await this.#settle();
  }

  async #readMissing(): Promise<number> {
    const { sql } = this.#database;
    const { foldSchema } = this.#identity;
    const blocks = this.#ponder.path.slice(-80).map(({ block }) => block);
    const wanted = blocks.flatMap(({ number, hash, settings }) =>
      settings.map(({ island }) => ({ island, number, hash })),
    );
    const refused = wanted.filter(({ island, hash }) => this.#isRefused(settingsKey(island, hash)));
    await storeRefusals(sql, foldSchema, refused);
    const refusedKeys = new Set(refused.map(({ island, hash }) => settingsKey(island, hash)));
    const answered = blocks.map((block) => ({
      ...block,
      settings: block.settings.filter(({ island }) => !refusedKeys.has(settingsKey(island, block.hash))),
    }));
    return storeChainReads(sql, foldSchema, answered);
  }

  #isRefused(key: string): boolean {
    const decided = this.#refused.get(key) ?? this.#random.chance(this.#refusing);
    this.#refused.set(key, decided);
    return decided;
  }

  /** The node answers for every island that waits; the fold catches up. */
  async #answerAll(): Promise<void> {
    this.story.push("the node answers");
    for (const key of this.#refused.keys()) this.#refused.set(key, false);
    const { sql } = this.#database;
    await storeChainReads(
      sql,
      this.#identity.foldSchema,
      this.#ponder.path.map(({ block }) => block),
    );
    await this.#settle();
  }

  /** Where the fold is not what a fold of its own branch alone would be: with some islands waiting, and when none does. */
  async compare(): Promise<Difference[]> {
    if (await this.#isWaiting()) {
      const differences = await this.#compare({ besideWaiting: true });
      if (differences.length > 0) return differences;
      await this.#answerAll();
    }
    return this.#compare();
  }

  async #compare({ besideWaiting = false } = {}): Promise<Difference[]> {
    this.counts.comparisons += 1;
    const { sql } = this.#database;
    const s = quoted(this.#identity.foldSchema);
    const [meta] = await sql.unsafe(`select finalized, head from ${s}.meta`);
    const [finalized, head] = [Number(meta?.finalized), Number(meta?.head)];
    await this.#tellTruth();
    await this.#foldTruth(FRESH, finalized + 1);
    await this.#countRows();
    const folds = { followed: this.#identity.foldSchema, fresh: FRESH };
    const differences = await foldDifferences(sql, folds, { besideWaiting });
    if (besideWaiting) return differences;
    await this.#foldTruth(FINAL, head + 1);
    const blocks = [...new Set([head, finalized, this.#random.between(finalized, head)])];
    return [...differences, ...(await stateDifferences(sql, { ...folds, fresh: FINAL }, blocks))];
  }

  async #isWaiting(): Promise<boolean> {
    const rows = await this.#database.sql.unsafe(
      `select from ${quoted(this.#identity.foldSchema)}.island where waiting_block is not null limit 1`,
    );
    return rows.length > 0;
  }

  /** A table that never has rows is not compared at all. */
  async #countRows(): Promise<void> {
    const s = quoted(this.#identity.foldSchema);
    const tables = histories.flatMap(({ name }) => [`${name}_recent`, `${name}_current`, `${name}_interval`]);
    const others = [
      "quarantine",
      "v3_pool where stopped_block is not null",
      "island where stopped_block is not null",
      "island where waiting_block is not null",
      `island where waiting_block <= (select finalized from ${s}.meta)`,
    ];
    const texts = [...tables, ...others].map(
      (table) => `select '${table}' as name, count(*)::int as n from ${s}.${table}`,
    );
    for (const { name, n } of await this.#database.sql.unsafe(texts.join(" union all ")))
      this.counts.rows[name] = Math.max(this.counts.rows[name] ?? 0, n);
  }

  /** Writes down the facts of the fold's branch, as it was given them. */
  async #tellTruth(): Promise<void> {
    const { sql } = this.#database;
    const rows = await sql.unsafe(`select hash from ${quoted(this.#identity.foldSchema)}.block order by number`);
    const path = rows.map(({ hash }) => this.#reported.get(String(hash))!);
    const truePath = this.#truth.path;
    let common = 0;
    while (common + 1 < path.length && truePath[common + 1] === path[common + 1]) common += 1;
    await this.#truth.replaceAfter(common, path.slice(common + 1));
  }

  async #foldTruth(foldSchema: string, safe: number): Promise<void> {
    const { sql, url } = this.#database;
    await this.#truth.finalizeBelow(safe);
    await emptyFold(sql, foldSchema);
    const before = this.#truthFolds.get(foldSchema);
    const identity = identityOf(this.#truth.schema, foldSchema);
    const blocks = () => this.#truth.path.map(({ block }) => block);
    const readMissing = () => storeChainReads(sql, foldSchema, blocks());
    const fold = before ?? new FollowedFold({ url, identity, readMissing });
    this.#truthFolds.set(foldSchema, fold);
    fold.forgetAll();
    await fold.settle();
  }
}
