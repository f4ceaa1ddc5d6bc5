// The reducer's rows as table columns: what the fold writes, and what a world is restored from. Tables number pools,
// so a stored row names its pool by that number, and a token id's manager is a column where the reducer has a world.
import type { NftRow, PoolRow, PositionRow, TickRow, V3Row } from "./rows.ts";

export type V3RowKind = V3Row["kind"];

type FieldsOf<Row extends V3Row> = Exclude<keyof Row, "kind" | "pool">;
type ColumnsOf<Row extends V3Row> = { readonly [Field in FieldsOf<Row>]: string };

const claimColumns = {
  liquidity: "liquidity",
  feeGrowthInside0LastX128: "fee_growth_inside0_last_x128",
  feeGrowthInside1LastX128: "fee_growth_inside1_last_x128",
  tokensOwed0: "tokens_owed0",
  tokensOwed1: "tokens_owed1",
};

const poolColumns: ColumnsOf<PoolRow> = {
  sqrtPriceX96: "sqrt_price_x96",
  tick: "tick",
  liquidity: "liquidity",
  feeGrowthGlobal0X128: "fee_growth_global0_x128",
  feeGrowthGlobal1X128: "fee_growth_global1_x128",
  protocolFees0: "protocol_fees0",
  protocolFees1: "protocol_fees1",
  feeProtocol0: "fee_protocol0",
  feeProtocol1: "fee_protocol1",
};

const tickColumns: ColumnsOf<TickRow> = {
  tick: "tick",
  liquidityGross: "liquidity_gross",
  liquidityNet: "liquidity_net",
  feeGrowthOutside0X128: "fee_growth_outside0_x128",
  feeGrowthOutside1X128: "fee_growth_outside1_x128",
};

const positionColumns: ColumnsOf<PositionRow> = {
  owner: "owner",
  tickLower: "tick_lower",
  tickUpper: "tick_upper",
  ...claimColumns,
};

const nftColumns: ColumnsOf<NftRow> = {
  tokenId: "token_id",
  owner: "owner",
  tickLower: "tick_lower",
  tickUpper: "tick_upper",
  ...claimColumns,
};

/** Field to column by kind of row; `pool` and a token id's `manager` come on top. */
export const v3Columns = { pool: poolColumns, tick: tickColumns, position: positionColumns, nft: nftColumns } as const;

/** The columns that distinguish entities of a kind. */
export const v3KeyColumns: Readonly<Record<V3RowKind, readonly string[]>> = {
  pool: ["pool"],
  tick: ["pool", "tick"],
  position: ["pool", "owner", "tick_lower", "tick_upper"],
  nft: ["manager", "token_id"],
};

type TextOf = (column: string) => string;

/** The fields of positions and token ids alike. */
const claimOf = (text: TextOf) => ({
  tickLower: Number(text("tick_lower")),
  tickUpper: Number(text("tick_upper")),
  liquidity: BigInt(text("liquidity")),
  feeGrowthInside0LastX128: BigInt(text("fee_growth_inside0_last_x128")),
  feeGrowthInside1LastX128: BigInt(text("fee_growth_inside1_last_x128")),
  tokensOwed0: BigInt(text("tokens_owed0")),
  tokensOwed1: BigInt(text("tokens_owed1")),
});

/**
 * The reducer's row of a stored one. `stored` holds the columns of {@link v3Columns}: owners as 0x-hex, other numbers
 * as a driver gives them (int4 as number, numeric as text). `pool` is the pool's address. There are many rows: their fields
 * are spelled out, which is much faster.
 * @throws Error when a column is missing
 */
export function toV3Row<Kind extends V3RowKind>(
  kind: Kind,
  pool: string,
  stored: Readonly<Record<string, unknown>>,
): Extract<V3Row, { kind: Kind }>;
export function toV3Row(kind: V3RowKind, pool: string, stored: Readonly<Record<string, unknown>>): V3Row {
  const text: TextOf = (column) => {
    const value = stored[column];
    if (value === null || value === undefined) throw new Error(`a stored ${kind} row of pool ${pool} has no ${column}`);
    return String(value);
  };
  if (kind === "nft") return { kind, pool, owner: text("owner"), tokenId: BigInt(text("token_id")), ...claimOf(text) };
  if (kind === "position") return { kind, pool, owner: text("owner"), ...claimOf(text) };
  if (kind === "tick")
    return {
      ...{ kind, pool },
      tick: Number(text("tick")),
      liquidityGross: BigInt(text("liquidity_gross")),
      liquidityNet: BigInt(text("liquidity_net")),
      feeGrowthOutside0X128: BigInt(text("fee_growth_outside0_x128")),
      feeGrowthOutside1X128: BigInt(text("fee_growth_outside1_x128")),
    };
  return {
    ...{ kind, pool },
    sqrtPriceX96: BigInt(text("sqrt_price_x96")),
    tick: Number(text("tick")),
    liquidity: BigInt(text("liquidity")),
    feeGrowthGlobal0X128: BigInt(text("fee_growth_global0_x128")),
    feeGrowthGlobal1X128: BigInt(text("fee_growth_global1_x128")),
    protocolFees0: BigInt(text("protocol_fees0")),
    protocolFees1: BigInt(text("protocol_fees1")),
    feeProtocol0: Number(text("fee_protocol0")),
    feeProtocol1: Number(text("fee_protocol1")),
  };
}
