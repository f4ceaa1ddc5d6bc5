// How much each block of a range weighs, by its number or by time.
import { blockClock, type Cumulative } from "../../core/averages/cumulative.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { InvalidInputError } from "../errors.ts";
import { asOf } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";
import type { PointRange } from "./ledger-over.ts";

/** `blocks`: each block weighs 1. `seconds`: as many as pass until the next block; the last one of a range weighs nothing. */
export const weights = ["blocks", "seconds"] as const;
export type Weight = (typeof weights)[number];

/** @throws InvalidInputError naming `weight` when all blocks together weigh nothing */
export async function clockOf(snapshot: Snapshot, range: PointRange, weight: Weight): Promise<Cumulative> {
  if (weight === "blocks") return blockClock;
  const clock = await secondsOf(snapshot, range);
  if (clock.at(range.from.block) === clock.at(range.to.block))
    throw new InvalidInputError(
      "weight",
      `no second passes from block ${range.from.block} to block ${range.to.block}; ask with \`blocks\`, or for a longer range`,
    );
  return clock;
}

/** Blocks mostly come in equal intervals: only those are read at which the interval changes. */
async function secondsOf(snapshot: Snapshot, { from, to }: PointRange): Promise<Cumulative> {
  const at = asOf(snapshot, to);
  const text = `
    select number, timestamp from (
      select number, timestamp, timestamp - lag(timestamp) over w as before, lead(timestamp) over w - timestamp as after
        from ${at.fold}.block where number >= $1::int4 and number <= $2::int4 window w as (order by number)) b
     where before is null or after is null or before <> after`;
  const many = await readMany(at.unbatched, { text, parameters: [String(from.block), String(to.block)] }, [
    ...["number", "timestamp"],
  ]);
  const places: [number, number][] = [];
  for (let i = 0; i < many.length; i += 2) places.push([Number(many[i]), Number(many[i + 1])]);
  places.sort(([a], [b]) => a - b);
  return between(
    Float64Array.from(places, ([block]) => block),
    Float64Array.from(places, ([, time]) => time),
  );
}

/** Equal intervals between the blocks named; after the last of them nothing passes any more. */
function between(blocks: Float64Array, times: Float64Array): Cumulative {
  const last = blocks.length - 1;
  return {
    at(block) {
      let [low, high] = [0, last];
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if ((blocks[middle] as number) <= block) low = middle;
        else high = middle - 1;
      }
      const [first, time] = [blocks[low] as number, times[low] as number];
      if (low === last || block <= first) return BigInt(time);
      const interval = ((times[low + 1] as number) - time) / ((blocks[low + 1] as number) - first);
      return BigInt(time + interval * (block - first));
    },
  };
}
