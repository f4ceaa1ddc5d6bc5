// The fold's rows of islands as of a block, in the reducer's shape.
import { islands as history } from "../../core/history/histories.ts";
import type { IslandRow } from "../../core/island/state.ts";
import { islandColumnsText, type StoredIslandRow, toIslandRow } from "../../core/island/stored-rows.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import type { AsOf } from "../ledger/as-of.ts";
import type { Island } from "./island.ts";

/** At `folded`, by address; islands that are not in the fold's tables are left out. */
export async function readFoldedRows(
  { fold, folded, final }: AsOf,
  islands: readonly Island[],
): Promise<Map<string, IslandRow>> {
  const addresses = new Map(islands.flatMap(({ id, address }) => (id === undefined ? [] : [[id, address] as const])));
  if (addresses.size === 0) return new Map();
  const found = await final<StoredIslandRow & { island: number }>(
    `select r.* from unnest(string_to_array($1, ',')::int4[]) asked(id) cross join lateral (${rowOfKey(history, {
      ...{ fold, block: "$2::int4", key: { island: "asked.id" } },
      select: (row) => `${row}.island, ${islandColumnsText(row)}`,
    })}) r`,
    [[...addresses.keys()].join(","), String(folded)],
  );
  return new Map(
    found.map((row) => {
      const address = addresses.get(row.island) ?? "";
      return [address, toIslandRow(address, row)];
    }),
  );
}
