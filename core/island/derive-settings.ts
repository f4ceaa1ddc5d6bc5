// What later events show about an island's fee and treasury, where nobody has read them: the part of what was collected that
// `FeesEarned` leaves out shows the fee, a payout of the manager's whole balance shows the treasury.
import { ZERO_ADDRESS } from "../zero-address.ts";
import { type IslandFactRow, toIslandFact } from "./fact-rows.ts";
import { type IslandSettings, OPEN_SETTINGS } from "./facts.ts";
import { applyIslandFact, createIslandWorld, endIslandBlock, restoreIsland } from "./reducer.ts";

/**
 * Fee and treasury at the end of the block of the first of `rows`, as far as the rows show them: facts of one island in event order,
 * from its creation or its renouncing on; its position is in `pool`. Events that set them again after that block do not count.
 */
export function settingsFromEvents(
  rows: readonly IslandFactRow[],
  pool: string,
): Pick<IslandSettings, "managerFeeBps" | "treasury"> {
  const [first] = rows;
  if (!first) return OPEN_SETTINGS;
  const world = createIslandWorld();
  const { island } = first;
  if (first.kind !== "created") restoreIsland(world, { island, pool, token0: "", token1: "" }, renounced(island));
  let block = first.block;
  for (const row of rows) {
    if (row.block !== block) endIslandBlock(world);
    const isLater = row.block > first.block;
    if (isLater && (row.kind === "params" || row.kind === "renounced")) break;
    block = row.block;
    if (applyIslandFact(world, toIslandFact(row, OPEN_SETTINGS)) !== undefined) return OPEN_SETTINGS;
  }
  endIslandBlock(world);
  const state = world.islands.get(island);
  return state && !state.stopped ? { managerFeeBps: state.managerFeeBps, treasury: state.treasury } : OPEN_SETTINGS;
}

/** Fee and treasury from before belong to nobody any more. */
const renounced = (island: string) => ({
  ...OPEN_SETTINGS,
  ...{ island, manager: ZERO_ADDRESS, managerBalance0: 0n, managerBalance1: 0n },
});
