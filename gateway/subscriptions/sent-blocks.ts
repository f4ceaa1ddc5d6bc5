// Which blocks have been announced, and which of the chain's present blocks are new compared with them. During a reorganisation
// there may be fewer blocks for a moment: one is announced again only under another hash, or with facts that a node had left out.

export interface SeenBlock {
  number: number;
  hash: string;
  /** Unix seconds. */
  timestamp: number;
  /** How many facts of each kind it has; null, or absent, of a final one. */
  facts?: string | null;
}

const isOther = (announced: SeenBlock | undefined, { hash, facts }: SeenBlock): boolean =>
  announced?.hash !== hash || (announced.facts != null && facts != null && announced.facts !== facts);

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

  /** The block from which rows must be compared. */
  get lowest(): number {
    return this.#blocks[0]?.number ?? 0;
  }

  /** `rows` are all blocks from {@link lowest} on that are there now, ascending. */
  compare(rows: readonly SeenBlock[]): NewBlocks {
    const announced = new Map(this.#blocks.map((block) => [block.number, block]));
    const first = rows.find((row) => row.number >= this.lowest && isOther(announced.get(row.number), row))?.number;
    if (first === undefined) return { fresh: [], replaced: [] };
    const isLater = ({ number }: SeenBlock) => number >= first;
    return { fresh: rows.filter(isLater), replaced: this.#blocks.filter(isLater) };
  }

  /** The same with `fresh` announced. */
  after({ fresh }: NewBlocks): SentBlocks {
    const first = fresh[0]?.number;
    if (first === undefined) return this;
    return new SentBlocks([...this.#blocks.filter(({ number }) => number < first), ...fresh]);
  }
}
