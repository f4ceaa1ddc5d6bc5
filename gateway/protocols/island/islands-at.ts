// Which islands there are at a block, and what decides the worth of their shares.
import { islands as history } from "../../../core/history/histories.ts";
import { type IslandRow, isDetermined } from "../../../core/island/state.ts";
import { islandColumnsText, type StoredIslandRow, toFoldedIsland } from "../../../core/island/stored-rows.ts";
import { question } from "../../cache/question.ts";
import { changing } from "../../database/recent-changes.ts";
import { type AsOf, placeOfThings } from "../../history/as-of.ts";
import { BLOCK } from "../../history/holdings-at.ts";
import { rowOfKey } from "../../history/row-of-key.ts";
import { addressesParameter, listParameter } from "../../history/sql-values.ts";
import type { Address } from "../../parameters.ts";
import { type Island, type IslandInfoRow, islandInfoColumns, toIsland } from "./island.ts";

const islands = question<readonly Island[]>("islands");

/** In order of creation; `condition` is SQL over $2, `list` its values with commas between. */
async function readIslands(
  { fold, point, cache, revision, prepared }: AsOf,
  condition: string,
  list?: string,
): Promise<readonly Island[]> {
  if (list === "") return [];
  const { block } = point;
  const place = { ...placeOfThings(point, `${condition} ${list ?? ""}`, [changing.islands]), revision };
  return cache.of(islands, place, async () => {
    const rows = await prepared<IslandInfoRow>(
      `select ${islandInfoColumns(fold, "$1::int4")} from ${fold}.island
        where (${condition}) and created_block <= $1::int4 order by id`,
      [String(block), ...(list === undefined ? [] : [list])],
    );
    return rows.map((row) => toIsland(row, block));
  });
}

/** Every island there is, in order of creation. */
export const allIslands = (at: AsOf): Promise<readonly Island[]> => readIslands(at, "true");

const ADDRESSES = addressesParameter(2);

/** Those of `addresses` that are islands. */
export const islandsAmong = (at: AsOf, addresses: readonly Address[]): Promise<readonly Island[]> =>
  readIslands(at, `address in ${ADDRESSES}`, [...new Set(addresses)].join(","));

/** Islands that hold one of `tokens`. */
export const islandsOfTokens = (at: AsOf, tokens: readonly Address[]): Promise<readonly Island[]> =>
  readIslands(at, `token0 in ${ADDRESSES} or token1 in ${ADDRESSES}`, tokens.join(","));

/** Islands with their position in one of `pools`. */
export const islandsOfPools = (at: AsOf, pools: readonly Address[]): Promise<readonly Island[]> =>
  readIslands(at, `pool in ${ADDRESSES}`, pools.join(","));

/** SELECT text of (address bytea) over $1, the block: every island there is. */
export const islandAddresses = ({ fold }: AsOf): string =>
  `select address from ${fold}.island where created_block <= ${BLOCK}`;

const rowsOfIslands = question<ReadonlyMap<string, IslandRow>>("island-rows");

/** By address; those whose state is unknown are left out. */
export async function readIslandRows(
  { fold, point, cache, revision, prepared }: AsOf,
  of: readonly Island[],
): Promise<ReadonlyMap<string, IslandRow>> {
  const addresses = new Map(of.flatMap(({ id, address, incomplete }) => (incomplete ? [] : [[id, address] as const])));
  if (addresses.size === 0) return new Map();
  const ids = [...addresses.keys()].join(",");
  // what an island is worth at an old block changes when it catches up
  const place = placeOfThings(point, ids, [...addresses.keys()].map(changing.island));
  return cache.of(rowsOfIslands, { ...place, revision }, async () => {
    const found = await prepared<StoredIslandRow & { island: number }>(
      `select r.* from unnest(${listParameter(1, "int4")}) wanted(id) cross join lateral (${rowOfKey(history, {
        fold,
        block: "$2::int4",
        key: { island: "wanted.id" },
        select: (row) => `${row}.island, ${islandColumnsText(row)}`,
      })}) r`,
      [ids, String(point.block)],
    );
    const read = found.map((row) => toFoldedIsland(addresses.get(row.island) ?? "", row));
    return new Map(read.filter(isDetermined).map((row) => [row.island, row]));
  });
}
