// How the facts of islands are read out of their tables: one SELECT that yields all of them in event order, and the way
// from its rows to the reducer's input. The fold reads final blocks and newer ones with it.
import type { BlocksAfterSql } from "../blocks-after.ts";
import { literal } from "../sql-literal.ts";
import { ZERO_ADDRESS } from "../zero-address.ts";
import type { IslandFact, IslandSettings } from "./facts.ts";

/** The protocol's own fact tables, in the order in which tables are locked. */
export const islandFactTables = ["island_created", "island_flow", "island_rebalance", "island_manager"] as const;

/** Every fact table that is read for it. */
export const islandSourceTables = ["erc20_transfer", "v3_liquidity", ...islandFactTables] as const;

const ZERO = literal(ZERO_ADDRESS);

/** The columns that not every kind of fact has, with their SQL types; amounts travel as text. */
const optionalColumns = {
  pool: "text",
  token0: "text",
  token1: "text",
  /** Manager, treasury or receiver, as the kind has it. */
  account: "text",
  amount0: "text",
  amount1: "text",
  side: "int4",
  tick_lower: "int4",
  tick_upper: "int4",
  fee_bps: "int4",
} as const;

type Column = keyof typeof optionalColumns;

/** One fact as read; null: not of this kind. */
export type IslandFactRow = {
  block: number;
  log_index: number;
  tx_index: number;
  kind: IslandFact["kind"];
  island: string;
} & { [C in Column]: ((typeof optionalColumns)[C] extends "int4" ? number : string) | null };

interface Source {
  /** FROM, with the fact as `f` and its island as `k`. */
  from: string;
  kind: string;
  condition: string;
  columns: Partial<Record<Column, string>>;
}

const amounts = { amount0: "f.amount0", amount1: "f.amount1" };

const sourcesIn = (schema: string): readonly Source[] => {
  const of = (table: string, key: string) => `${schema}.${table} f join indexed i on i.island = f.${key}`;
  return [
    {
      from: of("island_created", "island"),
      kind: "'created'",
      condition: "true",
      columns: { pool: "i.pool", token0: "i.token0", token1: "i.token1", account: "f.manager" },
    },
    {
      from: of("island_flow", "island"),
      kind: "case f.kind when 'burn' then 'burned' else 'fees' end",
      condition: "f.kind in ('burn', 'fees')",
      columns: { account: "f.receiver", ...amounts },
    },
    {
      from: of("island_rebalance", "island"),
      kind: "'rebalance'",
      condition: "true",
      columns: { tick_lower: "f.tick_lower", tick_upper: "f.tick_upper" },
    },
    {
      from: of("island_manager", "island"),
      kind: `case when f.kind = 'params' then 'params' when f.new_manager = ${ZERO} then 'renounced' else 'newManager' end`,
      condition: "true",
      columns: { account: "case f.kind when 'params' then f.treasury else f.new_manager end", fee_bps: "f.fee_bps" },
    },
    {
      from: `${of("v3_liquidity", "owner")} and i.pool = f.pool`,
      kind: "case f.kind when 'burn' then 'poolBurn' else 'poolCollect' end",
      condition: "f.kind in ('burn', 'collect')",
      columns: amounts,
    },
    {
      from: of("erc20_transfer", '"from"'),
      kind: "'transferOut'",
      condition: "f.token in (i.token0, i.token1) and f.amount > 0",
      columns: { side: "case f.token when i.token0 then 0 else 1 end", account: 'f."to"', amount0: "f.amount" },
    },
  ];
};

/** SELECT of (island, pool, token0, token1) of islands over pools that are indexed: others are left out. */
const indexedIslands = (schema: string): string => `
  select c.island, c.pool, p.token0, p.token1, c.block as created_block, c.log_index as created_log
    from ${schema}.island_created c join ${schema}.v3_pool_created p on p.pool = c.pool`;

/**
 * SELECT text of every fact that the reducer takes with `after < block <= upTo`, in event order, as
 * {@link IslandFactRow}s: nothing that was logged before an island was created. `schema` is the quoted name of Ponder's
 * schema; `islands`: SQL of an array of addresses, for facts of these alone.
 */
export function islandFactsText(schema: string, { after, upTo }: BlocksAfterSql, islands?: string): string {
  const select = ({ from, kind, condition, columns }: Source) => {
    const optional = Object.entries(optionalColumns).map(
      ([column, type]) => `(${columns[column as Column] ?? "null"})::${type} as ${column}`,
    );
    return `select f.block, f.log_index, f.tx_index, ${kind} as kind, i.island, ${optional.join(", ")}
      from ${from} where f.block > ${after} and f.block <= ${upTo} and ${condition}
       and (f.block, f.log_index) >= (i.created_block, i.created_log)`;
  };
  const ofThese = islands === undefined ? "" : ` where c.island = any(${islands})`;
  return `with indexed as materialized (${indexedIslands(schema)}${ofThese})
    ${sourcesIn(schema).map(select).join("\nunion all ")}
    order by block, log_index`;
}

/** Facts that need what no event says: they come with what was read from the island at the end of their block, if it was read. */
export const needsSettings = ({ kind }: Pick<IslandFactRow, "kind">): boolean =>
  kind === "created" || kind === "renounced";

/**
 * SELECT text of (block, island) of those with `after < block <= upTo`, once per island and block.
 * `schema` is the quoted name of Ponder's schema.
 */
export const settingsNeededText = (schema: string, { after, upTo }: BlocksAfterSql): string => `
  select c.block, c.island from ${schema}.island_created c join ${schema}.v3_pool_created p on p.pool = c.pool
   where c.block > ${after} and c.block <= ${upTo}
  union
  select m.block, m.island from ${schema}.island_manager m
    join ${schema}.island_created c on c.island = m.island join ${schema}.v3_pool_created p on p.pool = c.pool
   where m.block > ${after} and m.block <= ${upTo} and m.kind = 'owner' and m.new_manager = ${ZERO}`;

/**
 * The reducer's input; `settings` for facts that {@link needsSettings}, where they have been read.
 * @throws Error when a column that the fact must have is null
 */
export function toIslandFact(row: IslandFactRow, settings?: IslandSettings): IslandFact {
  const { kind, island } = row;
  const at = { block: row.block, logIndex: row.log_index, txIndex: row.tx_index, island };
  switch (kind) {
    case "created": {
      const [pool, token0, token1] = [given(row, "pool"), given(row, "token0"), given(row, "token1")];
      return { kind, ...at, pool, token0, token1, manager: given(row, "account"), settings };
    }
    case "renounced":
      return { kind, ...at, settings };
    case "poolBurn":
    case "poolCollect":
    case "fees":
      return { kind, ...at, amount0: BigInt(given(row, "amount0")), amount1: BigInt(given(row, "amount1")) };
    case "burned":
      return { kind, ...at, receiver: given(row, "account") };
    case "rebalance":
      return { kind, ...at, tickLower: given(row, "tick_lower"), tickUpper: given(row, "tick_upper") };
    case "params":
      return { kind, ...at, managerFeeBps: given(row, "fee_bps"), treasury: given(row, "account") };
    case "newManager":
      return { kind, ...at, manager: given(row, "account") };
    case "transferOut": {
      const side = given(row, "side") === 0 ? 0 : 1;
      return { kind, ...at, side, to: given(row, "account"), amount: BigInt(given(row, "amount0")) };
    }
  }
}

function given<C extends Column>(row: IslandFactRow, column: C): NonNullable<IslandFactRow[C]> {
  const value = row[column];
  if (value === null || value === undefined)
    throw new Error(`${row.kind} of island ${row.island} at block ${row.block}, log ${row.log_index} has no ${column}`);
  return value;
}
