// Notices blocks that were replaced, and writes them down for people: nothing is decided by it.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import { withFacts } from "./facts-reader.ts";
import { quoted } from "./tables.ts";

export interface SeenBlock {
  number: number;
  hash: string;
}

export interface Reorg {
  /** The first block that is another one now, and its hash. */
  block: number;
  hash: string;
  /** Blocks from it to the highest one that had been seen. */
  depth: number;
}

/** More than can be replaced: Ponder keeps 30 to 60 blocks replaceable. */
export const MOST_WATCHED = 128;

/** The newest blocks as they were last seen. */
export class BlockMemory {
  readonly #known = new Map<number, string>();

  /**
   * Takes what is there now, in any order. Blocks that are missing for a while are remembered: when they come back as they
   * were, nothing was replaced.
   */
  see(blocks: readonly SeenBlock[]): Reorg | undefined {
    const replaced = blocks.filter(({ number, hash }) => (this.#known.get(number) ?? hash) !== hash);
    const first = replaced.reduce<SeenBlock | undefined>(
      (lowest, one) => (lowest && lowest.number < one.number ? lowest : one),
      undefined,
    );
    const highest = Math.max(...this.#known.keys());
    if (first) for (const number of [...this.#known.keys()]) if (number >= first.number) this.#known.delete(number);
    for (const { number, hash } of blocks) this.#known.set(number, hash);
    const top = Math.max(...this.#known.keys());
    for (const number of [...this.#known.keys()]) if (number <= top - MOST_WATCHED) this.#known.delete(number);
    return first && { block: first.number, hash: first.hash, depth: highest - first.number + 1 };
  }
}

export interface ReorgWatch {
  /** Compares the newest blocks with those of the look before, and notes what was replaced. Never throws. */
  look(head: number): Promise<void>;
}

export function createReorgWatch(
  db: Sql,
  { chainId, ponderSchema, log }: { chainId: number; ponderSchema: string; log: Logger },
): ReorgWatch {
  const memory = new BlockMemory();
  const look = async (head: number): Promise<void> => {
    const table = `${quoted(ponderSchema)}.block`;
    const blocks = await withFacts(db, ponderSchema, () =>
      db.unsafe<SeenBlock[]>(`select number, hash from ${table} where number > ${head - MOST_WATCHED}`),
    );
    const reorg = memory.see([...blocks]);
    if (!reorg) return;
    log.warn({ ...reorg }, "blocks were replaced");
    await db`insert into tidemark.reorg (chain_id, block, hash, depth)
      values (${chainId}, ${reorg.block}, ${reorg.hash}, ${reorg.depth}) on conflict do nothing`;
  };
  return {
    look: (head) =>
      // the next look sees it as well
      look(head).catch((error: unknown) =>
        log.debug({ error: String(error) }, "the newest blocks could not be compared"),
      ),
  };
}
