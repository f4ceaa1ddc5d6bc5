// What later events tell of an island's fee and treasury, where nobody has read them: what `FeesEarned` leaves of what was
// collected tells the fee, a payout of the manager's whole balance the treasury.
import { type IslandFactRow, toIslandFact } from "./fact-rows.ts";
import type { IslandFact, IslandSettings } from "./facts.ts";
import { applyIslandFact, createIslandWorld, endIslandBlock, restoreIsland, ZERO_ADDRESS } from "./reducer.ts";

const OPEN: IslandSettings = {
  tickLower: undefined,
  tickUpper: undefined,
  managerFeeBps: undefined,
  treasury: undefined,
};

/**
 * Fee and treasury at the end of the block of the first of `rows`, as far as the rows tell: facts of one island in event
 * order, from its creation or its renouncing on. What an event sets anew after that block says nothing of it.
 */
export function settingsFromEvents(rows: readonly IslandFactRow[]): Pick<IslandSettings, "managerFeeBps" | "treasury"> {
  const [first] = rows;
  if (!first) return OPEN;
  const world = createIslandWorld();
  const { island } = first;
  if (first.kind !== "created") restoreIsland(world, constantsOf(island), blank(island));
  let block = first.block;
  for (const row of rows) {
    if (row.block !== block) endIslandBlock(world);
    const isLater = row.block > first.block;
    if (isLater && (row.kind === "params" || row.kind === "renounced")) break;
    block = row.block;
    if (applyIslandFact(world, withOpenSettings(row)) !== undefined) return OPEN;
  }
  endIslandBlock(world);
  const state = world.islands.get(island);
  return state && !state.stopped ? { managerFeeBps: state.managerFeeBps, treasury: state.treasury } : OPEN;
}

function withOpenSettings(row: IslandFactRow): IslandFact {
  return toIslandFact(row, OPEN);
}

const constantsOf = (island: string) => ({ island, pool: "", token0: "", token1: "" });
const blank = (island: string) => ({
  ...OPEN,
  ...{ island, manager: ZERO_ADDRESS, managerBalance0: 0n, managerBalance1: 0n },
});
