// The fold's rows of islands as of a block, in the reducer's shape.
import type { IslandRow } from "../../core/island/state.ts";
import { islandColumnsText, type StoredIslandRow, toIslandRow } from "../../core/island/stored-rows.ts";
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
    `select r.* from unnest(string_to_array($1, ',')::int4[]) asked(id) cross join lateral (
       select c.island, ${islandColumnsText("c")} from ${fold}.island_current c
        where c.island = asked.id and c.since <= $2::int4
       union all
       select n.island, ${islandColumnsText("n")} from (
         select * from ${fold}.island_interval where island = asked.id and to_block > $2::int4
          order by to_block limit 1) n where n.from_block <= $2::int4) r`,
    [[...addresses.keys()].join(","), String(folded)],
  );
  return new Map(
    found.map((row) => {
      const address = addresses.get(row.island) ?? "";
      return [address, toIslandRow(address, row)];
    }),
  );
}
