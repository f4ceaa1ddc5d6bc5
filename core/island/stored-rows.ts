// The reducer's rows as table columns: what the fold writes, and what a world is restored from.
import type { FoldedIsland } from "./state.ts";

/** Field to column; the island itself is a number in the tables. */
const islandColumns: { readonly [Field in Exclude<keyof FoldedIsland, "island">]: string } = {
  tickLower: "tick_lower",
  tickUpper: "tick_upper",
  manager: "manager",
  managerFeeBps: "manager_fee_bps",
  treasury: "treasury",
  managerBalance0: "manager_balance0",
  managerBalance1: "manager_balance1",
};

export const islandFields = Object.keys(islandColumns) as (keyof typeof islandColumns)[];

/** Fields that are addresses: byte strings in the tables. */
export const isAddressField = (field: keyof typeof islandColumns): boolean =>
  field === "manager" || field === "treasury";

/** SELECT list of {@link islandColumns} over `table`: addresses as 0x-hex, amounts as text. */
export const islandColumnsText = (table: string): string =>
  islandFields
    .map((field) => {
      const column = islandColumns[field];
      if (isAddressField(field)) return `'0x' || encode(${table}.${column}, 'hex') as ${column}`;
      return `${table}.${column}${column.startsWith("manager_balance") ? "::text" : ""} as ${column}`;
    })
    .join(", ");

/** One row as {@link islandColumnsText} yields it. */
export interface StoredIslandRow {
  tick_lower: number;
  tick_upper: number;
  manager: string;
  manager_fee_bps: number;
  treasury: string;
  manager_balance0: string;
  manager_balance1: string;
}

// Columns of histories are never null: no fee is below zero, no address empty, and no tick of a pool is the least int4. A range may
// well have equal ends, or crossed ones: before the first mint an island takes whatever it is set to.
const UNDETERMINED_FEE = -1;
const UNDETERMINED_TICK = -(2 ** 31);
const EMPTY = "0x";

/** As {@link islandColumns} have it: what is not determined is stored as what no island can have. */
export const storedValue = (island: FoldedIsland, field: keyof typeof islandColumns): string => {
  if (field === "managerFeeBps") return String(island.managerFeeBps ?? UNDETERMINED_FEE);
  if (isAddressField(field)) return String(island[field] ?? EMPTY);
  if (field === "tickLower" || field === "tickUpper") return String(island[field] ?? UNDETERMINED_TICK);
  return String(island[field] ?? 0);
};

/** SQL condition on relation `row` of {@link islandColumns}: range and fee are determined. */
export const isDeterminedSql = (row: string): string =>
  `(${row}.manager_fee_bps <> ${UNDETERMINED_FEE} and ${row}.tick_lower <> ${UNDETERMINED_TICK})`;

export function toFoldedIsland(island: string, stored: StoredIslandRow): FoldedIsland {
  const hasRange = stored.tick_lower !== UNDETERMINED_TICK;
  return {
    island,
    tickLower: hasRange ? stored.tick_lower : undefined,
    tickUpper: hasRange ? stored.tick_upper : undefined,
    manager: stored.manager,
    managerFeeBps: stored.manager_fee_bps === UNDETERMINED_FEE ? undefined : stored.manager_fee_bps,
    treasury: stored.treasury === EMPTY ? undefined : stored.treasury,
    managerBalance0: BigInt(stored.manager_balance0),
    managerBalance1: BigInt(stored.manager_balance1),
  };
}
