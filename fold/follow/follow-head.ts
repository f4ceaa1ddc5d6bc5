// Follows Ponder's newest blocks: extends the fold by them, goes back where they replace ours, and makes final what cannot
// be replaced any more.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { ReadMissing } from "../contracts/read-missing.ts";
import type { Schemas } from "../facts/fact-source.ts";
import type { StepSequence } from "../sequential-step.ts";
import { quoted } from "../tables.ts";
import type { OwnBranch } from "./branch.ts";
import { extend, goBack } from "./extend.ts";
import { finalizableUpTo, finalize, MergePace } from "./finalize.ts";
import { type Picture, takePicture } from "./picture.ts";

export interface FollowSetting {
  chainId: number;
  schemas: Schemas;
  steps: StepSequence;
  log: Logger;
  /** Reads what blocks wait for. */
  readMissing?: ReadMissing | undefined;
}

/** What one turn has done. */
export interface Turn {
  picture: Picture;
  changes: number;
  stepRows: number;
  /** Versions that have become final. */
  merged: number;
  /** There may be more to do at once. */
  isBehind: boolean;
  /** Blocks wait for what is read from the chain, which may come without a new block. */
  waitsForChain: boolean;
}

/** Facts that show that something must be read from the chain before their block can be folded. */
const WAITED_FOR = ["v3_initialize", "island_created", "island_manager"];

export class HeadFollower {
  readonly #db: Sql;
  readonly #setting: FollowSetting;
  #branch: OwnBranch | undefined;
  /** Ponder may have had fewer blocks than the fold: once it has them again, the facts of all blocks are compared. */
  #isToCompare = true;
  #waitsForChain = false;
  readonly #pace = new MergePace();

  constructor(db: Sql, setting: FollowSetting) {
    this.#db = db;
    this.#setting = setting;
  }

  /** Forgets the branch in memory: it is read again from the tables. */
  forget(): void {
    this.#branch = undefined;
  }

  /** Hash of a block above the last final one, where it is in memory. */
  hashOf(block: number): string | undefined {
    return this.#branch?.hashes.get(block);
  }

  /** Undefined while there is nothing to follow. */
  async turn(): Promise<Turn | undefined> {
    const { schemas, log } = this.#setting;
    const ours = await this.#ours();
    const seen = await takePicture(this.#db, schemas, { ours, isToCompare: this.#isToCompare });
    if (seen === undefined) return undefined;
    const { progress, distrusted } = seen;
    if (distrusted !== undefined)
      log.warn({ block: distrusted }, "a block has other facts than those that were folded: folding it again");
    const hasFewer = (progress.head ?? -1) < ours.head;
    this.#isToCompare ||= hasFewer;
    if (seen.isInSets) return this.#catchUp(seen);
    const picture = await this.#readable(seen, ours);
    const { next } = picture;
    const isExtended = next.upTo > next.common;
    const extended = isExtended ? await this.#extend(ours, picture) : { changes: 0, stepRows: 0 };
    // a block with other facts may have to wait for the chain, or the turn may fail: then it is found again
    const isReplaced = distrusted === undefined || (isExtended && next.common < distrusted && distrusted <= next.upTo);
    this.#isToCompare = hasFewer || !isReplaced;
    // blocks that the chain contradicts do not become final
    const final = Math.min(progress.foldableUpTo, isExtended ? next.upTo : seen.next.agreed);
    const merged = await this.#finalize(final);
    const isWhole = (await this.#ours()).finalized >= final;
    const isBehind = !isWhole || (next.upTo < (progress.head ?? -1) && !this.#waitsForChain);
    return { picture, ...extended, merged, isBehind, waitsForChain: this.#waitsForChain };
  }

  /** Makes the blocks that are folded final, so that the rest can be folded in sets. */
  async #catchUp(picture: Picture): Promise<Turn> {
    const { agreed } = picture.next;
    await this.goBackTo(agreed);
    const merged = await this.#finalize(agreed);
    return { picture, changes: 0, stepRows: 0, merged, isBehind: true, waitsForChain: false };
  }

  /** Drops the blocks after `block`: the chain no longer has them, and nothing in their place. */
  async goBackTo(block: number): Promise<void> {
    const ours = await this.#ours();
    const target = Math.max(block, ours.finalized);
    if (target >= ours.head) return;
    const { schemas, steps } = this.#setting;
    this.#branch = undefined;
    await goBack(this.#db, { schemas, steps, head: ours.head }, target);
  }

  /** As much of `picture` as can be folded: what must come from the chain is read first. */
  async #readable(picture: Picture, ours: OwnBranch): Promise<Picture> {
    const { next, facts } = picture;
    if (next.upTo === next.common) {
      this.#waitsForChain = false;
      return picture;
    }
    if (!this.#waitsForChain && !WAITED_FOR.some((table) => facts.has(table))) return picture;
    const { steps, readMissing, schemas } = this.#setting;
    const range = { after: next.common, upTo: next.upTo };
    let upTo = await steps.readyUpTo(range);
    if (upTo < range.upTo && readMissing !== undefined) {
      await readMissing();
      upTo = await steps.readyUpTo(range);
    }
    this.#waitsForChain = upTo < range.upTo;
    if (!this.#waitsForChain) return picture;
    const less = await takePicture(this.#db, schemas, { ours, most: upTo, isToCompare: this.#isToCompare });
    return less ?? { ...picture, next: { ...next, upTo: next.common, isFork: false } };
  }

  async #extend(ours: OwnBranch, picture: Picture) {
    const { chainId, schemas, steps, log } = this.#setting;
    const { next, blocks } = picture;
    const replaced = ours.hashes.get(next.common + 1);
    this.#branch = undefined;
    const extended = await extend(this.#db, { schemas, steps, head: ours.head }, picture);
    const hashes = new Map([...ours.hashes].filter(([number]) => number <= next.common));
    for (const { number, hash } of blocks) hashes.set(number, hash);
    this.#branch = { finalized: ours.finalized, head: next.upTo, hashes };
    if (next.isFork && replaced !== blocks[0]?.hash) {
      const reorg = { block: next.common + 1, hash: String(blocks[0]?.hash), depth: ours.head - next.common };
      log.warn(reorg, "blocks were replaced");
      await this.#db`insert into tidemark.reorg (chain_id, block, hash, depth)
        values (${chainId}, ${reorg.block}, ${reorg.hash}, ${reorg.depth}) on conflict do nothing`;
    }
    return extended;
  }

  async #finalize(foldableUpTo: number): Promise<number> {
    const { schemas } = this.#setting;
    const ours = await this.#ours();
    if (foldableUpTo <= ours.finalized) return 0;
    const upTo = await finalizableUpTo(this.#db, schemas, { upTo: foldableUpTo, most: this.#pace.most });
    const started = performance.now();
    const merged = await finalize(this.#db, schemas, upTo);
    this.#pace.took(merged, performance.now() - started);
    const hashes = new Map([...ours.hashes].filter(([number]) => number > upTo));
    this.#branch = { finalized: upTo, head: ours.head, hashes };
    return merged;
  }

  async #ours(): Promise<OwnBranch> {
    const ours = this.#branch ?? (await this.#read());
    this.#branch = ours;
    return ours;
  }

  async #read(): Promise<OwnBranch> {
    const s = quoted(this.#setting.schemas.fold);
    const [meta] = await this.#db.unsafe(`select finalized, head from ${s}.meta`);
    const blocks = await this.#db.unsafe(
      `select number, hash from ${s}.block where number > ${Number(meta?.finalized)}`,
    );
    const hashes = new Map(blocks.map(({ number, hash }) => [Number(number), String(hash)]));
    return { finalized: Number(meta?.finalized), head: Number(meta?.head), hashes };
  }
}
