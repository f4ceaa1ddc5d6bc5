// Follows Ponder's newest blocks: extends the fold by them, goes back where they replace ours, and makes final what cannot
// be replaced any more.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { Schemas } from "../fact-source.ts";
import type { StepSequence } from "../sequential-step.ts";
import { quoted } from "../tables.ts";
import type { OwnBranch } from "./branch.ts";
import { extend, goBack } from "./extend.ts";
import { finalizableUpTo, finalize } from "./finalize.ts";
import { type Picture, takePicture } from "./picture.ts";

export interface FollowSetting {
  chainId: number;
  schemas: Schemas;
  steps: StepSequence;
  log: Logger;
  /** Reads from the chain what blocks wait for, at once; resolves to how much was read. */
  readMissing?: (() => Promise<number>) | undefined;
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
}

/** Facts that say that something is to be read from the chain before their block can be folded. */
const WAITED_FOR = ["v3_initialize", "island_created", "island_manager"];

export class HeadFollower {
  readonly #db: Sql;
  readonly #setting: FollowSetting;
  #branch: OwnBranch | undefined;
  /** Ponder has had fewer blocks than the fold: when they come back their facts are compared. */
  #wasCut = false;
  #waitsForChain = false;

  constructor(db: Sql, setting: FollowSetting) {
    this.#db = db;
    this.#setting = setting;
  }

  /** Reads anew what is folded. */
  forget(): void {
    this.#branch = undefined;
  }

  /** Of a block above the last final one, where it is in memory. */
  hashOf(block: number): string | undefined {
    return this.#branch?.hashes.get(block);
  }

  /** Undefined while there is nothing to follow. */
  async turn(): Promise<Turn | undefined> {
    const { schemas } = this.#setting;
    const ours = (this.#branch ??= await this.#read());
    const compareUpTo = await this.#compareUpTo(ours);
    const seen = await takePicture(this.#db, schemas, { ours, compareUpTo });
    if (seen === undefined) return undefined;
    const { progress } = seen;
    if (seen.hasOtherFacts) {
      this.#setting.log.warn({ from: ours.finalized + 1 }, "facts are not those that were folded: folding them again");
      this.#branch = { ...ours, distrustedFrom: ours.finalized + 1 };
      return { picture: seen, changes: 0, stepRows: 0, merged: 0, isBehind: true };
    }
    this.#wasCut = (progress.head ?? -1) < ours.head;
    if (progress.foldableUpTo > ours.head) return this.#catchUp(seen, ours);
    const picture = await this.#readable(seen, ours);
    const { next } = picture;
    const extended = next.upTo > next.common ? await this.#extend(ours, picture) : { changes: 0, stepRows: 0 };
    const merged = await this.#finalize(Math.min(progress.foldableUpTo, next.upTo));
    return { picture, ...extended, merged, isBehind: next.upTo < (progress.head ?? -1) && !this.#waitsForChain };
  }

  /** Blocks are final that are not folded: what is here is made final too, so that the rest can be folded in sets. */
  async #catchUp(picture: Picture, ours: OwnBranch): Promise<Turn> {
    const { next } = picture;
    if (next.isFork) await this.goBackTo(next.common);
    const merged = await this.#finalize(Math.min(next.common, ours.head));
    const nothing = { ...picture, next: { ...next, upTo: next.common } };
    return { picture: nothing, changes: 0, stepRows: 0, merged, isBehind: true };
  }

  /** The chain has no such blocks any more, and nothing in their place. */
  async goBackTo(block: number): Promise<void> {
    const ours = (this.#branch ??= await this.#read());
    const target = Math.max(block, ours.finalized);
    if (target >= ours.head) return;
    const { schemas, steps } = this.#setting;
    this.#branch = undefined;
    await goBack(this.#db, { schemas, steps, head: ours.head }, target);
  }

  /** Facts are compared before they are final, and after Ponder has cut them back and brought them again. */
  async #compareUpTo(ours: OwnBranch): Promise<number | undefined> {
    const [row] = await this.#db.unsafe(
      `select (select max(number) from ${quoted(this.#setting.schemas.ponder)}.block) as head,
              (select min(substr(safe_checkpoint, 27, 16)::int8)::int4 - 1 from ${quoted(this.#setting.schemas.ponder)}._ponder_checkpoint) as final`,
      [],
      { prepare: true },
    );
    const head = Number(row?.head ?? -1);
    if (this.#wasCut && head >= ours.head) return ours.head;
    const final = Math.min(Number(row?.final ?? -1), head, ours.head);
    return final > ours.finalized ? final : undefined;
  }

  /** As much of `picture` as can be folded: what the chain alone tells is read first. */
  async #readable(picture: Picture, ours: OwnBranch): Promise<Picture> {
    const { next, facts } = picture;
    if (next.upTo === next.common) return picture;
    if (!this.#waitsForChain && !WAITED_FOR.some((table) => facts.has(table))) return picture;
    const { steps, readMissing, schemas } = this.#setting;
    const range = { after: next.common, upTo: next.upTo };
    let upTo = await steps.readyUpTo(range);
    if (upTo < range.upTo && readMissing !== undefined && (await readMissing()) > 0)
      upTo = await steps.readyUpTo(range);
    this.#waitsForChain = upTo < range.upTo;
    if (!this.#waitsForChain) return picture;
    const less = await takePicture(this.#db, schemas, { ours, most: upTo });
    return less ?? { ...picture, next: { ...next, upTo: next.common } };
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
    const ours = (this.#branch ??= await this.#read());
    if (foldableUpTo <= ours.finalized) return 0;
    const upTo = await finalizableUpTo(this.#db, schemas, { finalized: ours.finalized, upTo: foldableUpTo });
    const merged = await finalize(this.#db, schemas, upTo);
    const hashes = new Map([...ours.hashes].filter(([number]) => number > upTo));
    this.#branch = { finalized: upTo, head: ours.head, hashes };
    return merged;
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
