// What is known of the ledgers at an index's last watermark, taken along to its new one.
import { changesOfBlocks } from "./block-changes.ts";
import type { FactsScope } from "./facts-scope.ts";
import { sumUp } from "./summed-changes.ts";
import { quarantinedAmong } from "./token-state.ts";
import { forgetIndex, moveOn, rememberedWatermark } from "./watermark-memory.ts";

/** Over more blocks nothing is taken along: it is read anew as it is asked for. */
const LONGEST_MOVE = 1_000;

/** The blocks between were read when they came, and are known by their hashes; those that are not are read. */
export async function followWatermark(facts: FactsScope): Promise<void> {
  const { index, state } = facts;
  const from = rememberedWatermark(index);
  const to = state.watermark;
  if (from === undefined || from >= to) return;
  if (to - from > LONGEST_MOVE) {
    forgetIndex(index);
    return;
  }
  const { changes, moved } = sumUp(await changesOfBlocks(facts, { after: from, upTo: to }));
  const quarantined = await quarantinedAmong(facts, [...moved]);
  moveOn(index, { from, to, changes, quarantined });
}
