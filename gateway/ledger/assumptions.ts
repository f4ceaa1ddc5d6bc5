// What a request relies on before it has a transaction: an answer may come from what is kept of a block alone, and if more
// has to be read after all, it must be read of the same index, at the same watermark, with the same blocks.
import { UnavailableError } from "../errors.ts";
import type { Looked } from "./look.ts";
import type { BlockPoint } from "./point.ts";
import type { LedgerState } from "./state.ts";

/** What was assumed is not so any more: to be asked again in a transaction. */
export class AssumptionError extends Error {
  override name = "AssumptionError";
}

interface Opened {
  index: string;
  state: Pick<LedgerState, "watermark">;
  /** By number, of {@link Assumptions.blocks}. */
  hashes: Readonly<Record<string, string>>;
}

/** A block of an index that a part of the answer was read of. */
export interface Expected {
  index: string;
  point: BlockPoint;
}

export class Assumptions {
  expected: Expected | undefined;
  #looked: Looked | undefined;
  #points: readonly BlockPoint[] = [];
  #areOver = false;

  get looked(): Looked | undefined {
    return this.#looked;
  }

  /** Numbers of the blocks whose hashes the transaction must tell. */
  get blocks(): number[] {
    return [...this.#points, ...(this.expected ? [this.expected.point] : [])].map(({ block }) => block);
  }

  get mayGrow(): boolean {
    return !this.#areOver && this.expected === undefined;
  }

  /** All of one request are of one look. */
  add(looked: Looked, point: BlockPoint): void {
    this.#looked = looked;
    this.#points = [...this.#points, point];
  }

  /** Gives what was told last. */
  end(): Expected | undefined {
    const point = this.#points.at(-1);
    const told = this.#looked && point && { index: this.#looked.index, point };
    this.#looked = undefined;
    this.#points = [];
    this.#areOver = true;
    return told;
  }

  /**
   * The transaction must see the same.
   * @throws AssumptionError; UnavailableError (`CATCHING_UP`) when what is expected is not there
   */
  require({ index, state, hashes }: Opened): void {
    const isThere = ({ block, hash }: BlockPoint) => hashes[block] === hash;
    const { expected } = this;
    if (expected && (expected.index !== index || !isThere(expected.point)))
      throw new UnavailableError("CATCHING_UP", "The chain has replaced blocks meanwhile. Ask again.");
    if (!this.#looked) return;
    if (this.#looked.index !== index || this.#looked.state.watermark !== state.watermark) throw new AssumptionError();
    if (!this.#points.every(isThere)) throw new AssumptionError();
  }
}
