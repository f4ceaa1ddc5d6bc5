// Every launch curve at a block. States of all curves (worlds) at final blocks are stored, and later blocks are replayed from
// there; where none is stored, from the first launch.
import type { BlocksAfter } from "../../../core/blocks-after.ts";
import { type LaunchFactRow, launchFactsText, toLaunchFact } from "../../../core/launch/fact-rows.ts";
import { emptyWorld, type LaunchWorld, replay } from "../../../core/launch/replay.ts";
import { question } from "../../cache/question.ts";
import { type StrideStates, stateAt } from "../../cache/stride-states.ts";
import type { OperationContext } from "../../context.ts";
import type { Snapshot } from "../../database/snapshot.ts";
import type { BlockPoint } from "../../history/point.ts";
import { readFacts } from "../../history/raw-facts.ts";

/** Facts of one statement: Ponder's tables stay locked while it runs. */
const MOST_FACTS = 20_000;
/** Blocks from one stored world to the next. */
const STRIDE = 256;

/** Replaying all launches again takes long. */
const finalWorlds = question<LaunchWorld>("launch-worlds-final", { unusedMs: 600_000 });

/** Almost all curves are shared with the final world that it was replayed from: only the maps count as its own size. */
const worlds = question<LaunchWorld>("launch-worlds", {
  weigh: ({ curves, pairs }) => 1_000 + BYTES_PER_ENTRY * (curves.size + pairs.size),
});
const BYTES_PER_ENTRY = 64;

/** `point` must have been fixed in this request's snapshot. */
export async function launchesAt({ chain, snapshot }: OperationContext, point: BlockPoint): Promise<LaunchWorld> {
  if (!chain.launch) return emptyWorld;
  const states: StrideStates<LaunchWorld> = {
    question: finalWorlds,
    stride: STRIDE,
    empty: emptyWorld,
    carryOn: (from, range) => carryOn(snapshot, from, range),
  };
  const { cache } = snapshot;
  return cache.of(worlds, { at: point.hash, key: "" }, () => stateAt(cache, states, point));
}

/** `from` with what happened in `after < block <= upTo`. */
async function carryOn(snapshot: Snapshot, from: LaunchWorld, range: BlocksAfter): Promise<LaunchWorld> {
  let world = from;
  let after: readonly [number, number] = [range.after, AFTER_ALL_LOGS];
  for (let isMore = range.after < range.upTo; isMore; ) {
    const rows = await readFacts(snapshot, (facts) =>
      facts.prepared<LaunchFactRow>(launchFactsText(facts.schema, MOST_FACTS), [...after, range.upTo].map(String)),
    );
    world = replay(world, rows.map(toLaunchFact));
    const last = rows.at(-1);
    isMore = rows.length === MOST_FACTS && last !== undefined;
    if (last) after = [last.block, last.log_index];
  }
  return world;
}

/** Behind the last log of any block. */
const AFTER_ALL_LOGS = 2 ** 31 - 1;
