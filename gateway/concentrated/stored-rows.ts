// SQL of the fold's v3 tables as of a block, and their rows in the reducer's shape.

import { toV3Row, type V3RowKind, v3Columns } from "../../core/concentrated/stored-rows.ts";
import { rowsAt, rowsOfGroups } from "../../core/history/as-of.ts";
import { isLiveClaim } from "../../core/history/group-indexes.ts";
import { v3Nfts, v3Pools, v3Positions, v3Ticks } from "../../core/history/histories.ts";
import type { AsOf } from "../history/as-of.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import { listParameter } from "../history/sql-values.ts";
import type { V3Pool } from "./pool.ts";

const HISTORIES = { pool: v3Pools, tick: v3Ticks, position: v3Positions, nft: v3Nfts } as const;

export type StoredRow = Record<string, unknown> & { pool: number };

/** SELECT list of a kind's columns over relation `row`, addresses as 0x-hex. */
const columnsOf = (kind: V3RowKind, row: string): string =>
  ["pool", ...(kind === "nft" ? ["manager"] : []), ...columnNames(kind).slice(1)]
    .map((column) =>
      ADDRESSES.includes(column) ? `'0x' || encode(${row}.${column}, 'hex') as ${column}` : `${row}.${column}`,
    )
    .join(", ");

const ADDRESSES = ["owner", "manager"];

/** What {@link rowsOfPools} selects. */
export const columnNames = (kind: V3RowKind): string[] => [
  ...new Set(["pool", ...Object.values<string>(v3Columns[kind])]),
];

/** A row of texts, the first of which is at `from`. */
export function storedRow(columns: readonly string[], values: readonly string[], from: number): StoredRow {
  const stored: StoredRow = { pool: Number(values[from]) };
  for (let i = 1; i < columns.length; i++) stored[columns[i] as string] = values[from + i];
  return stored;
}

/** Addresses of pools by their numbers. */
export const addressesById = (pools: readonly V3Pool[]): ReadonlyMap<number, string> =>
  new Map(pools.map(({ id, address }) => [id, address]));

/** `pools` gives addresses by number. */
export const toRow = <Kind extends V3RowKind>(kind: Kind, pools: ReadonlyMap<number, string>, stored: StoredRow) =>
  toV3Row(kind, pools.get(stored.pool) ?? "", stored);

/** SELECT text of all rows of a kind at block $2 of the pools numbered in $1 (comma-separated); positions and token ids only while they are worth anything. */
export function rowsOfPools(kind: V3RowKind, { fold }: Pick<AsOf, "fold">): string {
  const values = listParameter(1, "int4");
  if (kind === "position" || kind === "nft") return liveOfPools(kind, { fold, pools: values, block: "$2::int4" });
  const at = { fold, block: "$2::int4", select: (row: string) => columnsOf(kind, row) };
  if (kind === "pool")
    return `select r.* from unnest(${values}) p(id)
             cross join lateral (${rowOfKey(v3Pools, { ...at, key: { pool: "p.id" } })}) r`;
  return rowsOfGroups(v3Ticks, { ...at, column: "pool", values });
}

/** What a position's owner is called in {@link columnsOf}, ordered as bytes are. */
const OWNER = 'r.owner collate "C"';

/** Relation `r`: the direct positions of `pools`, an array in SQL. What a manager's account has in a pool is not one of them. */
const directOfPools = ({ fold }: Pick<AsOf, "fold">, at: { pools: string; block: string }): string => `
  (${liveOfPools("position", { fold, ...at })}) r
  join ${fold}.v3_pool p on p.id = r.pool and '0x' || encode(p.manager, 'hex') <> r.owner`;

const liveOfPools = (
  kind: "position" | "nft",
  { fold, pools, block }: { fold: string; pools: string; block: string },
): string =>
  rowsOfGroups(HISTORIES[kind], {
    fold,
    block,
    where: isLiveClaim,
    column: "pool",
    values: pools,
    select: (row) => columnsOf(kind, row),
  });

/**
 * SELECT text of the next $3 rows of a kind that are worth anything, at block $2, of the pools numbered in $1
 * (comma-separated), in order of these numbers. They come after: pool $4, and of token ids id $5, of direct positions owner
 * $5 with the range from $6 to $7.
 */
export function nextOfPools(kind: "position" | "nft", { fold }: Pick<AsOf, "fold">): string {
  const at = { pools: listParameter(1, "int4"), block: "$2::int4" };
  if (kind === "nft")
    return `select r.* from (${liveOfPools("nft", { fold, ...at })}) r
      where (r.pool, r.token_id) > ($4::int4, $5::numeric) order by r.pool, r.token_id limit $3::int4`;
  return `select r.* from ${directOfPools({ fold }, at)}
     where (r.pool, ${OWNER}, r.tick_lower, r.tick_upper) > ($4::int4, $5::text, $6::int4, $7::int4)
     order by r.pool, ${OWNER}, r.tick_lower, r.tick_upper limit $3::int4`;
}

/** SELECT text of (total): positions and token ids worth anything at block $1, in the pool at $2 or, where that is empty, in all. */
export function countOfPools({ fold }: Pick<AsOf, "fold">): string {
  const pools = `array(select id from ${fold}.v3_pool
    where created_block <= $1::int4 and ($2 = '' or address = decode(substr($2, 3), 'hex')))`;
  const at = { pools, block: "$1::int4" };
  return `select (select count(*) from (${liveOfPools("nft", { fold, ...at })}) r)::int4
               + (select count(*) from ${directOfPools({ fold }, at)})::int4 as total`;
}

/** SELECT text of what an owner, a SQL expression, has of a kind at block $1 and is worth anything. */
export const rowsOfOwner = (kind: "position" | "nft", { fold }: Pick<AsOf, "fold">, owner: string): string =>
  rowsAt(HISTORIES[kind], {
    fold,
    block: "$1::int4",
    of: { owner },
    where: isLiveClaim,
    select: (row) => columnsOf(kind, row),
  });

/**
 * SELECT text of the rows of a kind at block $1 for every row of `wanted`, a FROM item over further parameters; `key` gives
 * the key columns as SQL expressions over it.
 */
export const rowsOfEach = (
  kind: V3RowKind,
  { fold }: Pick<AsOf, "fold">,
  { wanted, key }: { wanted: string; key: Readonly<Record<string, string>> },
): string => `
    select r.* from ${wanted} cross join lateral (${rowOfKey(HISTORIES[kind], {
      fold,
      block: "$1::int4",
      key,
      select: (row) => columnsOf(kind, row),
    })}) r`;
