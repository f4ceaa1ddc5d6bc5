// Which blocks have been announced, and which of the chain's present blocks are new compared with them. One is announced again
// under another hash, with facts that a node had left out, or when it was gone for a while: what was read meanwhile lacks it.

export interface SeenBlock {
  number: number;
  hash: string;
  /** Unix seconds. */
  timestamp: number;
  /** How many facts of each kind it has; null, or absent, of a final one. */
  facts?: string | null;
}

/** `isGone`: it was there when it was announced, and no longer when blocks were compared last. */
type AnnouncedBlock = SeenBlock & { isGone?: boolean };

const isOther = (announced: AnnouncedBlock | undefined, { hash, facts }: SeenBlock): boolean =>
  announced?.hash !== hash ||
  announced.isGone === true ||
  (announced.facts != null && facts != null && announced.facts !== facts);

/** Blocks to announce, ascending, and announced ones that are no longer part of the chain, or were not for a while. */
export interface NewBlocks {
  fresh: readonly SeenBlock[];
  replaced: readonly SeenBlock[];
  /** The last block that is there. */
  last: number | undefined;
}

/** Far more than a chain may replace. */
export const MOST_REMEMBERED = 128;

export class SentBlocks {
  #blocks: readonly AnnouncedBlock[];

  /** The blocks that count as announced from the start, ascending. */
  constructor(blocks: readonly AnnouncedBlock[]) {
    this.#blocks = blocks.slice(-MOST_REMEMBERED);
  }

  /** The highest block announced; undefined before the first. */
  get highest(): number | undefined {
    return this.#blocks.at(-1)?.number;
  }

  /** The block from which rows must be compared. */
  get lowest(): number {
    return this.#blocks[0]?.number ?? 0;
  }

  /** `rows` are all blocks from {@link lowest} on that are there now, ascending. */
  compare(rows: readonly SeenBlock[]): NewBlocks {
    const announced = new Map(this.#blocks.map((block) => [block.number, block]));
    const first = rows.find((row) => row.number >= this.lowest && isOther(announced.get(row.number), row))?.number;
    const last = rows.at(-1)?.number;
    if (first === undefined) return { fresh: [], replaced: [], last };
    const isLater = ({ number }: SeenBlock) => number >= first;
    return { fresh: rows.filter(isLater), replaced: this.#blocks.filter(isLater), last };
  }

  /** The same with `fresh` announced, and what is not there any more known to be gone. */
  after({ fresh, last = -1 }: NewBlocks): SentBlocks {
    const first = fresh[0]?.number;
    if (first !== undefined) return new SentBlocks([...this.#blocks.filter(({ number }) => number < first), ...fresh]);
    if (last >= (this.highest ?? -1)) return this;
    return new SentBlocks(this.#blocks.map((block) => (block.number > last ? { ...block, isGone: true } : block)));
  }
}
