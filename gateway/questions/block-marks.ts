// Blocks spread evenly over everything that is indexed, with their times: a scale for choosing a block by date.
import type { Operation } from "../context.ts";
import { pointOf } from "../history/point.ts";

export interface BlockMark {
  block: number;
  /** Unix seconds. */
  timestamp: number;
}

/** From the first indexed block to the newest one, both included, `marks` at most; ascending. @throws what pointOf throws */
export const blockMarks: Operation<{ marks: number }, BlockMark[]> = {
  name: "blockMarks",
  async run({ marks }, context) {
    const { chain, snapshot } = context;
    const { lastSynced } = await pointOf(context, { kind: "latest" });
    const last = Math.max(1, marks - 1);
    const numbers = Array.from({ length: last + 1 }, (_, i) =>
      Math.round(chain.startBlock + ((lastSynced - chain.startBlock) * i) / last),
    );
    return snapshot.prepared<BlockMark>(
      `select number as block, timestamp from ${snapshot.fold}.block
        where number = any(string_to_array($1, ',')::int4[]) order by number`,
      [[...new Set(numbers)].join(",")],
    );
  },
};
