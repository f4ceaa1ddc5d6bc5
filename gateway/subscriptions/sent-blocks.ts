// Which blocks have been announced, and what the chain's blocks now are news to. While the chain reorganises, blocks may be
// fewer for a moment: one is announced again only under another hash.

export interface SeenBlock {
  number: number;
  hash: string;
  /** Unix seconds. */
  timestamp: number;
}

/** Blocks to announce, ascending, and announced ones that are no longer part of the chain. */
export interface NewBlocks {
  fresh: readonly SeenBlock[];
  replaced: readonly SeenBlock[];
}

/** Far more than a chain may replace. */
export const MOST_REMEMBERED = 128;

export class SentBlocks {
  #blocks: readonly SeenBlock[];

  /** The blocks that count as announced from the start, ascending. */
  constructor(blocks: readonly SeenBlock[]) {
    this.#blocks = blocks.slice(-MOST_REMEMBERED);
  }

  /** The highest block announced; undefined before the first. */
  get highest(): number | undefined {
    return this.#blocks.at(-1)?.number;
  }

  /** From which block on rows are to be compared. */
  get lowest(): number {
    return this.#blocks[0]?.number ?? 0;
  }

  /** `rows` are all blocks from {@link lowest} on that are there now, ascending. */
  compare(rows: readonly SeenBlock[]): NewBlocks {
    const hashes = new Map(this.#blocks.map(({ number, hash }) => [number, hash]));
    const fresh = rows.filter(({ number, hash }) => number >= this.lowest && hashes.get(number) !== hash);
    const first = fresh[0]?.number;
    return { fresh, replaced: first === undefined ? [] : this.#blocks.filter(({ number }) => number >= first) };
  }

  /** The same with `fresh` announced. */
  after({ fresh }: NewBlocks): SentBlocks {
    const first = fresh[0]?.number;
    if (first === undefined) return this;
    return new SentBlocks([...this.#blocks.filter(({ number }) => number < first), ...fresh]);
  }
}
