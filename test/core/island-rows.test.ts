// What is stored of an island comes back as it was, whatever anybody sets.
import { expect, it } from "vitest";
import type { FoldedIsland } from "../../core/island/state.ts";
import { islandFields, type StoredIslandRow, storedValue, toFoldedIsland } from "../../core/island/stored-rows.ts";

const island: FoldedIsland = {
  ...{ island: "0x1", tickLower: -60, tickUpper: 60, manager: "0x5", managerFeeBps: 100, treasury: "0x6" },
  ...{ managerBalance0: 7n, managerBalance1: 2n ** 200n },
};

function readBack(one: FoldedIsland): FoldedIsland {
  const [lower, upper, manager, fee, treasury, balance0, balance1] = islandFields.map((field) =>
    storedValue(one, field),
  );
  const row = { tick_lower: Number(lower), tick_upper: Number(upper), manager, manager_fee_bps: Number(fee), treasury };
  return toFoldedIsland(one.island, {
    ...row,
    manager_balance0: balance0,
    manager_balance1: balance1,
  } as StoredIslandRow);
}

it.each<[string, Partial<FoldedIsland>]>([
  ["as it is", {}],
  ["of one tick, which an island takes before its first mint", { tickLower: 120, tickUpper: 120 }],
  ["of crossed ticks", { tickLower: 120, tickUpper: -120 }],
  ["of no known range", { tickLower: undefined, tickUpper: undefined }],
  ["of no known fee and treasury", { managerFeeBps: undefined, treasury: undefined }],
])("an island %s", (_, change) => {
  const one = { ...island, ...change };
  expect(readBack(one)).toEqual(one);
});
