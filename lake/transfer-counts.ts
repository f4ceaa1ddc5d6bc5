// How many transfers there were between the blocks before which a segment may end. Counted once in a process.
import type { Sql } from "postgres";
import { lastBoundary, type SegmentRule, type TransferWindow } from "../core/lake/segments.ts";
import { withFacts } from "../fold/facts/facts-reader.ts";
import { cutAt } from "../fold/facts/stage-facts.ts";
import { quoted } from "../fold/tables.ts";
import type { FinalIndex } from "./read-index.ts";

/** Rows of an index that are counted under one lock, within a second. */
const COUNTED_AT_ONCE = 500_000;

export class TransferCounts {
  /** The schema of the facts that are counted: another build has facts of its own for the same blocks, as many, but counted again. */
  readonly ponderSchema: string;
  readonly #rule: SegmentRule;
  readonly #windows = new Map<number, number>();
  /** Everything up to here is counted. */
  #counted: number;
  /** Counts up to here are forgotten. */
  #after = -1;

  constructor(rule: SegmentRule, { ponderSchema, firstBlock }: Pick<FinalIndex, "ponderSchema" | "firstBlock">) {
    this.ponderSchema = ponderSchema;
    this.#rule = rule;
    this.#counted = firstBlock - 1;
  }

  /** Those in blocks after `after`, up to the last boundary that is not above `lastWritable`. */
  async windows(db: Sql, { after, lastWritable }: { after: number; lastWritable: number }): Promise<TransferWindow[]> {
    const upTo = lastBoundary(this.#rule, lastWritable);
    // somebody has moved the manifest away, or put an older copy of the lake in its place
    if (after < this.#after) {
      this.#windows.clear();
      this.#counted = after;
    }
    this.#after = after;
    this.#counted = Math.max(this.#counted, after);
    while (this.#counted < upTo) await this.#count(db, upTo);
    for (const last of this.#windows.keys()) if (last <= after) this.#windows.delete(last);
    return [...this.#windows].map(([last, transfers]) => ({ last, transfers })).sort((a, b) => a.last - b.last);
  }

  async #count(db: Sql, upTo: number): Promise<void> {
    const schema = quoted(this.ponderSchema);
    const { segmentBlocks } = this.#rule;
    await withFacts(db, this.ponderSchema, async () => {
      const range = { after: this.#counted, upTo, limit: COUNTED_AT_ONCE, tables: ["erc20_transfer"] };
      const done = await cutAt(db, schema, range);
      const rows = await db.unsafe<{ last: number; transfers: number }[]>(`
        select ((block / ${segmentBlocks} + 1) * ${segmentBlocks} - 1)::int4 as last, count(*)::float8 as transfers
          from ${schema}.erc20_transfer where block > ${this.#counted} and block <= ${done} group by 1`);
      for (const { last, transfers } of rows)
        this.#windows.set(last, (this.#windows.get(last) ?? 0) + Number(transfers));
      this.#counted = done;
    });
  }
}
