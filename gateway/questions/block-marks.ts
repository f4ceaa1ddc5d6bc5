// Blocks spread evenly over everything that is indexed, with their times: a scale for choosing a block by date.
import type { Operation } from "../context.ts";
import { pointOf, pointsOf } from "../history/point.ts";

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
    const newest = await pointOf(context, { kind: "latest" });
    const { lastSynced } = newest;
    const last = Math.max(1, marks - 1);
    const numbers = Array.from({ length: last + 1 }, (_, i) =>
      Math.round(chain.startBlock + ((lastSynced - chain.startBlock) * i) / last),
    );
    const points = await pointsOf(snapshot, newest, [...new Set(numbers)]);
    return [...points.values()].map(({ block, timestamp }) => ({ block, timestamp }));
  },
};
