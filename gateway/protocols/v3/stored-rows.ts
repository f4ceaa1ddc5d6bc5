// SQL of the fold's v3 tables as of a block, and their rows in the reducer's shape.
import { rowsAt, rowsOfGroups } from "../../../core/history/as-of.ts";
import { v3Nfts, v3Pools, v3Positions, v3Ticks } from "../../../core/history/histories.ts";
import type { V3Row } from "../../../core/v3/rows.ts";
import { toV3Row, type V3RowKind, v3Columns } from "../../../core/v3/stored-rows.ts";
import type { AsOf } from "../../history/as-of.ts";
import { rowOfKey } from "../../history/row-of-key.ts";
import type { V3Pool } from "./pool.ts";

const HISTORIES = { pool: v3Pools, tick: v3Ticks, position: v3Positions, nft: v3Nfts } as const;

/** What a position or token id must have to be worth anything: the predicate of partial indexes. */
const isLive = (row: string): string => `(${row}.liquidity > 0 or ${row}.tokens_owed0 > 0 or ${row}.tokens_owed1 > 0)`;

export type StoredRow = Record<string, unknown> & { pool: number };
type RowOf<Kind extends V3RowKind> = Extract<V3Row, { kind: Kind }>;

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

const text = (stored: StoredRow, column: string): string => String(stored[column]);

/** The fields of positions and token ids alike. */
const claimOf = (stored: StoredRow) => ({
  tickLower: Number(stored.tick_lower),
  tickUpper: Number(stored.tick_upper),
  liquidity: BigInt(text(stored, "liquidity")),
  feeGrowthInside0LastX128: BigInt(text(stored, "fee_growth_inside0_last_x128")),
  feeGrowthInside1LastX128: BigInt(text(stored, "fee_growth_inside1_last_x128")),
  tokensOwed0: BigInt(text(stored, "tokens_owed0")),
  tokensOwed1: BigInt(text(stored, "tokens_owed1")),
});

/** Addresses of pools by their numbers. */
export const addressesById = (pools: readonly V3Pool[]): ReadonlyMap<number, string> =>
  new Map(pools.map(({ id, address }) => [id, address]));

/** `pools` gives addresses by number. There are many positions: their fields are spelled out, which is much faster. */
export function toRow<Kind extends V3RowKind>(
  kind: Kind,
  pools: ReadonlyMap<number, string>,
  stored: StoredRow,
): RowOf<Kind>;
export function toRow(kind: V3RowKind, pools: ReadonlyMap<number, string>, stored: StoredRow): V3Row {
  const pool = pools.get(stored.pool) ?? "";
  if (kind === "nft")
    return { kind, pool, owner: text(stored, "owner"), tokenId: BigInt(text(stored, "token_id")), ...claimOf(stored) };
  if (kind === "position") return { kind, pool, owner: text(stored, "owner"), ...claimOf(stored) };
  return toV3Row(kind, pool, stored);
}

/** SELECT text of all rows of a kind at block $2 of the pools numbered in $1 (comma-separated); positions and token ids only while they are worth anything. */
export function rowsOfPools(kind: V3RowKind, { fold }: Pick<AsOf, "fold">): string {
  const values = "string_to_array($1, ',')::int4[]";
  const at = { fold, block: "$2::int4", select: (row: string) => columnsOf(kind, row) };
  if (kind === "pool")
    return `select r.* from unnest(${values}) p(id)
             cross join lateral (${rowOfKey(v3Pools, { ...at, key: { pool: "p.id" } })}) r`;
  const groups = { ...at, column: "pool", values };
  return rowsOfGroups(HISTORIES[kind], kind === "tick" ? groups : { ...groups, where: isLive });
}

/** SELECT text of what an owner, a SQL expression, has of a kind at block $1 and is worth anything. */
export const rowsOfOwner = (kind: "position" | "nft", { fold }: Pick<AsOf, "fold">, owner: string): string =>
  rowsAt(HISTORIES[kind], {
    ...{ fold, block: "$1::int4", of: { owner }, where: isLive },
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
      ...{ fold, block: "$1::int4", key },
      select: (row) => columnsOf(kind, row),
    })}) r`;
