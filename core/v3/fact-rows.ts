// How the v3 facts are read out of their tables: one SELECT that yields all of them in event order, and the way from
// its rows to the reducer's input. The fold reads final blocks and newer ones with it.
import type { BlocksAfterSql } from "../blocks-after.ts";
import type { Amounts } from "../math/liquidity-amounts.ts";
import type { V3Fact } from "./facts.ts";

/** Every fact table of the protocol, in the order in which tables are locked. */
export const v3FactTables = [
  "v3_pool_created",
  "v3_fee_amount_enabled",
  "v3_initialize",
  "v3_swap",
  "v3_liquidity",
  "v3_flash",
  "v3_protocol_fee",
  "v3_nft",
] as const;

/** The columns that not every kind of fact has, with their SQL types; numbers past 2^53 travel as text. */
const optionalColumns = {
  sender: "text",
  owner: "text",
  token_id: "text",
  token_from: "text",
  token_to: "text",
  tick_lower: "int4",
  tick_upper: "int4",
  tick: "int4",
  sqrt_price_x96: "text",
  liquidity: "text",
  amount0: "text",
  amount1: "text",
  paid0: "text",
  paid1: "text",
  fee_protocol0_old: "int4",
  fee_protocol1_old: "int4",
  fee_protocol0_new: "int4",
  fee_protocol1_new: "int4",
} as const;

type Column = keyof typeof optionalColumns;

/** One fact as read. `contract` is the pool, or the position manager for the facts of token ids; null: not of this kind. */
export type V3FactRow = {
  block: number;
  log_index: number;
  tx_index: number;
  kind: V3Fact["kind"];
  contract: string;
} & { [C in Column]: ((typeof optionalColumns)[C] extends "int4" ? number : string) | null };

interface Source {
  table: (typeof v3FactTables)[number];
  /** SQL of the fact's kind. */
  kind: string;
  contract: "pool" | "manager";
  /** Columns that the table has under the same name. */
  columns: readonly Column[];
  /** Columns that it names otherwise. */
  renamed?: Partial<Record<Column, string>>;
}

const kindsOf = (names: Record<string, V3Fact["kind"]>): string =>
  `case f.kind ${Object.entries(names)
    .map(([stored, kind]) => `when '${stored}' then '${kind}'`)
    .join(" ")} end`;

const sources: readonly Source[] = [
  { table: "v3_initialize", kind: "'initialize'", contract: "pool", columns: ["sqrt_price_x96", "tick"] },
  {
    table: "v3_swap",
    kind: "'swap'",
    contract: "pool",
    columns: ["amount0", "amount1", "sqrt_price_x96", "liquidity", "tick"],
  },
  {
    table: "v3_liquidity",
    kind: kindsOf({ mint: "mint", burn: "burn", collect: "collect" }),
    contract: "pool",
    columns: ["sender", "owner", "tick_lower", "tick_upper", "liquidity", "amount0", "amount1"],
  },
  { table: "v3_flash", kind: "'flash'", contract: "pool", columns: ["paid0", "paid1"] },
  {
    table: "v3_protocol_fee",
    kind: kindsOf({ set: "setFeeProtocol", collect: "collectProtocol", earned: "protocolFeesEarned" }),
    contract: "pool",
    columns: ["fee_protocol0_old", "fee_protocol1_old", "fee_protocol0_new", "fee_protocol1_new", "amount0", "amount1"],
  },
  {
    table: "v3_nft",
    kind: kindsOf({
      transfer: "transferToken",
      increase: "increaseLiquidity",
      decrease: "decreaseLiquidity",
      collect: "collectToken",
    }),
    contract: "manager",
    columns: ["token_id", "liquidity", "amount0", "amount1"],
    renamed: { token_from: 'f."from"', token_to: 'f."to"' },
  },
];

function selectSource(schema: string, source: Source, { after, upTo }: BlocksAfterSql): string {
  const { table, kind, contract, columns, renamed = {} } = source;
  const optional = Object.entries(optionalColumns).map(([column, type]) => {
    const own = columns.includes(column as Column) ? `f.${column}` : "null";
    return `(${renamed[column as Column] ?? own})::${type} as ${column}`;
  });
  return `select f.block, f.log_index, f.tx_index, ${kind} as kind, f.${contract} as contract, ${optional.join(", ")}
    from ${schema}.${table} f where f.block > ${after} and f.block <= ${upTo}`;
}

/**
 * SELECT text of every fact that the reducer takes with `after < block <= upTo`, in event order, as {@link V3FactRow}s.
 * `schema` is the quoted name of Ponder's schema. Pools created there come from {@link v3PoolsCreatedText}.
 */
export function v3FactsText(schema: string, range: BlocksAfterSql): string {
  return `${sources.map((source) => selectSource(schema, source, range)).join("\nunion all ")}
    order by block, log_index`;
}

/** The reducer's input. @throws Error when a column that the fact must have is null */
export function toV3Fact(row: V3FactRow): V3Fact {
  const place = { block: row.block, logIndex: row.log_index, txIndex: row.tx_index };
  const at = { ...place, pool: row.contract };
  switch (row.kind) {
    case "initialize":
      return { kind: row.kind, ...at, sqrtPriceX96: big(row, "sqrt_price_x96"), tick: given(row, "tick") };
    case "swap":
      return {
        kind: row.kind,
        ...at,
        ...amountsOf(row),
        sqrtPriceX96: big(row, "sqrt_price_x96"),
        liquidity: big(row, "liquidity"),
        tick: given(row, "tick"),
      };
    case "mint":
      return {
        kind: row.kind,
        ...at,
        ...positionOf(row),
        ...amountsOf(row),
        sender: given(row, "sender"),
        amount: big(row, "liquidity"),
      };
    case "burn":
      return { kind: row.kind, ...at, ...positionOf(row), ...amountsOf(row), amount: big(row, "liquidity") };
    case "collect":
      return { kind: row.kind, ...at, ...positionOf(row), ...amountsOf(row) };
    case "flash":
      return { kind: row.kind, ...at, paid0: big(row, "paid0"), paid1: big(row, "paid1") };
    case "setFeeProtocol":
      return {
        kind: row.kind,
        ...at,
        feeProtocol0Old: given(row, "fee_protocol0_old"),
        feeProtocol1Old: given(row, "fee_protocol1_old"),
        feeProtocol0New: given(row, "fee_protocol0_new"),
        feeProtocol1New: given(row, "fee_protocol1_new"),
      };
    case "collectProtocol":
    case "protocolFeesEarned":
      return { kind: row.kind, ...at, ...amountsOf(row) };
    case "increaseLiquidity":
    case "decreaseLiquidity":
      return {
        kind: row.kind,
        ...place,
        ...amountsOf(row),
        tokenId: big(row, "token_id"),
        liquidity: big(row, "liquidity"),
      };
    case "collectToken":
      return { kind: row.kind, ...place, ...amountsOf(row), tokenId: big(row, "token_id") };
    case "transferToken":
      return {
        kind: row.kind,
        ...place,
        tokenId: big(row, "token_id"),
        from: given(row, "token_from"),
        to: given(row, "token_to"),
      };
  }
}

function given<C extends Column>(row: V3FactRow, column: C): NonNullable<V3FactRow[C]> {
  const value = row[column];
  if (value === null || value === undefined) {
    throw new Error(`${row.kind} of ${row.contract} at block ${row.block}, log ${row.log_index} has no ${column}.`);
  }
  return value;
}

function big(row: V3FactRow, column: Column): bigint {
  return BigInt(given(row, column));
}

function amountsOf(row: V3FactRow): Amounts {
  return { amount0: big(row, "amount0"), amount1: big(row, "amount1") };
}

function positionOf(row: V3FactRow): { owner: string; tickLower: number; tickUpper: number } {
  return { owner: given(row, "owner"), tickLower: given(row, "tick_lower"), tickUpper: given(row, "tick_upper") };
}

/** A pool as its factory announced it; addresses are lower-case hex. */
export interface V3PoolCreatedRow {
  block: number;
  log_index: number;
  factory: string;
  pool: string;
  token0: string;
  token1: string;
  fee: number;
  tick_spacing: number;
}

/** SELECT text of the pools created with `after < block <= upTo`, in event order, as {@link V3PoolCreatedRow}s. */
export function v3PoolsCreatedText(schema: string, { after, upTo }: BlocksAfterSql): string {
  return `select block, log_index, factory, pool, token0, token1, fee, tick_spacing
    from ${schema}.v3_pool_created where block > ${after} and block <= ${upTo} order by block, log_index`;
}
