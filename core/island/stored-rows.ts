// The reducer's rows as table columns: what the fold writes, and what a world is restored from.
import type { IslandRow } from "./state.ts";

/** Field to column; the island itself is a number in the tables. */
export const islandColumns: { readonly [Field in Exclude<keyof IslandRow, "island">]: string } = {
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

export const toIslandRow = (island: string, stored: StoredIslandRow): IslandRow => ({
  island,
  tickLower: stored.tick_lower,
  tickUpper: stored.tick_upper,
  manager: stored.manager,
  managerFeeBps: stored.manager_fee_bps,
  treasury: stored.treasury,
  managerBalance0: BigInt(stored.manager_balance0),
  managerBalance1: BigInt(stored.manager_balance1),
});
