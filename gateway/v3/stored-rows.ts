// SQL of the fold's v3 tables as of a block, and their rows in the reducer's shape.

import type { V3Row } from "../../core/v3/rows.ts";
import { toV3Row, type V3RowKind, v3Columns } from "../../core/v3/stored-rows.ts";
import { type AsOf, longestClass } from "../ledger/as-of.ts";

/** What a position or token id must have to be worth anything; the predicate of partial indexes, letter by letter. */
const IS_LIVE = "(liquidity > 0 or tokens_owed0 > 0 or tokens_owed1 > 0)";

export type StoredRow = Record<string, unknown> & { pool: number };
type RowOf<Kind extends V3RowKind> = Extract<V3Row, { kind: Kind }>;

/** SELECT list of a kind's columns, numerics as text. */
export const columnsOf = (kind: V3RowKind): string => {
  const columns = Object.values<string>(v3Columns[kind]).map((column) =>
    column === "owner" ? "'0x' || encode(owner, 'hex') as owner" : column,
  );
  const manager = kind === "nft" ? ["'0x' || encode(manager, 'hex') as manager"] : [];
  return [...new Set(["pool", ...manager, ...columns])].join(", ");
};

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

/**
 * SELECT text of all rows of a kind at block $2, which is `folded`, of the pools numbered in $1 (comma-separated); positions and token ids
 * only while they are worth anything. `offset 0` keeps each class its own index range scan.
 */
export function rowsOfPools(kind: V3RowKind, { fold, folded, point }: Pick<AsOf, "fold" | "folded" | "point">): string {
  const table = `${fold}.v3_${kind}`;
  const columns = columnsOf(kind);
  const isLive = kind === "position" || kind === "nft" ? ` and ${IS_LIVE}` : "";
  const pools = "unnest(string_to_array($1, ',')::int4[]) p(id)";
  const current = `
    select c.* from ${pools} cross join lateral (
      select ${columns} from ${table}_current where pool = p.id and since <= $2::int4${isLive} offset 0) c`;
  if (folded >= point.watermark) return current;
  const covers = `from_block <= $2::int4 and to_block > $2::int4`;
  const past =
    kind === "pool"
      ? `select i.* from ${pools} cross join lateral (
           select ${columns} from (
             select * from ${table}_interval where pool = p.id and to_block > $2::int4 order by to_block limit 1) next
            where from_block <= $2::int4) i`
      : `select i.* from ${pools} cross join generate_series(0, ${longestClass({ point })}) k cross join lateral (
           select ${columns} from ${table}_interval
            where pool = p.id and lvl = k::int2 and ${covers} and from_block > $2::int4 - (2 << k)${isLive}
            offset 0) i`;
  return `${current} union all ${past}`;
}

/** SELECT text of the rows of a kind at block $1 that meet `condition`; for conditions that an index of both tables serves. */
export function rowsWhere(kind: V3RowKind, { fold }: Pick<AsOf, "fold">, condition: string): string {
  const columns = columnsOf(kind);
  return `
    select ${columns} from ${fold}.v3_${kind}_current where (${condition}) and since <= $1::int4
    union all
    select ${columns} from ${fold}.v3_${kind}_interval
     where (${condition}) and to_block > $1::int4 and from_block <= $1::int4`;
}

/**
 * SELECT text of the rows of a kind at block $1 for every row of `asked`, a relation over further parameters, each by its own
 * `condition` on it; for conditions that an index of both tables serves. `offset 0` keeps every one an index scan.
 */
export function rowsOfEach(
  kind: V3RowKind,
  { fold }: Pick<AsOf, "fold">,
  { asked, condition }: { asked: string; condition: string },
): string {
  const columns = columnsOf(kind);
  return `
    select r.* from ${asked} cross join lateral (
      select ${columns} from ${fold}.v3_${kind}_current where ${condition} and since <= $1::int4
      union all
      select ${columns} from ${fold}.v3_${kind}_interval
       where ${condition} and to_block > $1::int4 and from_block <= $1::int4
      offset 0) r`;
}
