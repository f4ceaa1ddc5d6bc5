// Sums of facts by hour or day, as SQL. `bucket` is the second in which a step begins.
import type { BlockSpan } from "../../core/block-span.ts";
import type { RawFacts } from "../history/raw-facts.ts";
import type { Address } from "../parameters.ts";

type Views = Pick<RawFacts, "view">;

export interface SeriesSpan {
  span: BlockSpan;
  /** Seconds of one step. */
  width: number;
}

/** What each table of trades says of both sides: came in, and went in or out. */
interface TradeTable {
  table: string;
  pool: string;
  in0: string;
  in1: string;
  moved0: string;
  moved1: string;
}

const tradeTables: Readonly<Record<"v2" | "v3" | "curve", TradeTable>> = {
  v3: {
    table: "v3_swap",
    pool: "f.pool",
    in0: "greatest(f.amount0, 0)",
    in1: "greatest(f.amount1, 0)",
    moved0: "abs(f.amount0)",
    moved1: "abs(f.amount1)",
  },
  v2: {
    table: "v2_swap",
    pool: "f.pair",
    in0: "f.amount0_in",
    in1: "f.amount1_in",
    moved0: "f.amount0_in + f.amount0_out",
    moved1: "f.amount1_in + f.amount1_out",
  },
  curve: {
    table: "launch_swap",
    pool: "f.pool",
    in0: "f.token_in",
    in1: "f.base_in",
    moved0: "f.token_in + f.token_out",
    moved1: "f.base_in + f.base_out",
  },
};

export type Protocol = keyof typeof tradeTables;

const listed = (addresses: readonly Address[]): string => addresses.map((address) => `'${address}'`).join(", ");
const inSpan = ({ span: { from, to } }: SeriesSpan): string => `f.block >= ${from} and f.block <= ${to}`;
const bucketOf = ({ width }: SeriesSpan): string => `f.timestamp / ${width} * ${width}`;

export interface TradeSums {
  pool: Address;
  bucket: number;
  trades: number;
  /** Raw units, decimal text. */
  in0: string;
  in1: string;
  volume0: string;
  volume1: string;
}

const union = (texts: readonly string[]): string | undefined =>
  texts.length === 0 ? undefined : texts.map((text) => `(${text})`).join(" union all ");

/** SELECT text of {@link TradeSums} of the named pools; undefined when there are none. */
export function tradeSumsText(
  { view }: Views,
  series: SeriesSpan,
  pools: ReadonlyMap<Protocol, readonly Address[]>,
): string | undefined {
  return union(
    [...pools].flatMap(([protocol, addresses]) => {
      const { table, pool, in0, in1, moved0, moved1 } = tradeTables[protocol];
      if (addresses.length === 0) return [];
      return `select ${pool} as pool, ${bucketOf(series)} as bucket, count(*)::int as trades,
          sum(${in0})::text as in0, sum(${in1})::text as in1, sum(${moved0})::text as volume0, sum(${moved1})::text as volume1
        from ${view(table)} f where ${inSpan(series)} and ${pool} in (${listed(addresses)}) group by 1, 2`;
    }),
  );
}

/** The price after the last trade of a step, as the protocol states it. */
export interface Close {
  pool: Address;
  bucket: number;
  /** v3: the square root of the price times 2^96. v2: token0's reserve. curve: the square root of the price times 1e18. */
  a: string;
  /** v2: token1's reserve. */
  b: string;
}

const closeTables: Readonly<Record<"v3" | "curve", { table: string; pool: string; a: string; b: string }>> = {
  v3: { table: "v3_swap", pool: "f.pool", a: "f.sqrt_price_x96", b: "0" },
  curve: { table: "launch_sync", pool: "f.pool", a: "f.sqrt_price", b: "0" },
};

/** SELECT text of {@link Close}. */
export function closesText(
  { view }: Views,
  series: SeriesSpan,
  pools: ReadonlyMap<Protocol, readonly Address[]>,
): string | undefined {
  return union(
    [...pools].flatMap(([protocol, addresses]) => {
      if (addresses.length === 0) return [];
      if (protocol === "v2") return pairClosesText({ view }, series, addresses);
      const { table, pool, a, b } = closeTables[protocol];
      return `select distinct on (1, 2) ${pool} as pool, ${bucketOf(series)} as bucket, ${a}::text as a, ${b}::text as b
        from ${view(table)} f where ${inSpan(series)} and ${pool} in (${listed(addresses)})
       order by 1, 2, f.block desc, f.log_index desc`;
    }),
  );
}

/** A pair says its reserves right before each `Swap`; what it says later may be of a mint, a burn or a gift, which are no trades. */
const pairClosesText = ({ view }: Views, series: SeriesSpan, pairs: readonly Address[]): string => `
  select t.pool, t.bucket, s.reserve0::text as a, s.reserve1::text as b
    from (select distinct on (1, 2) f.pair as pool, ${bucketOf(series)} as bucket, f.block, f.log_index
            from ${view("v2_swap")} f where ${inSpan(series)} and f.pair in (${listed(pairs)})
           order by 1, 2, f.block desc, f.log_index desc) t
   cross join lateral (
     select reserve0, reserve1 from ${view("v2_sync")} y
      where y.block = t.block and y.log_index < t.log_index and y.pair = t.pool order by y.log_index desc limit 1) s`;

export interface TokenSums {
  bucket: number;
  n: number;
  amount: string;
}

export const transferSumsText = ({ view }: Views, series: SeriesSpan, token: Address): string => `
  select ${bucketOf(series)} as bucket, count(*)::int as n, sum(f.amount)::text as amount
    from ${view("erc20_transfer")} f where ${inSpan(series)} and f.token = '${token}' group by 1`;

const creations: Readonly<
  Record<Protocol, { table: string; pool: string; sides: [string, string]; condition: string }>
> = {
  v3: { table: "v3_pool_created", pool: "c.pool", sides: ["c.token0", "c.token1"], condition: "true" },
  v2: { table: "v2_pair_created", pool: "c.pair", sides: ["c.token0", "c.token1"], condition: "true" },
  curve: {
    table: "launch_pool",
    pool: "c.pool",
    sides: ["c.token", "c.base_token"],
    condition: "c.kind = 'initialized'",
  },
};

/** SELECT text of {@link TokenSums}: what moved of `token` in trades of all its markets. */
export function tradedText({ view }: Views, series: SeriesSpan, token: Address): string {
  const texts = (Object.keys(tradeTables) as Protocol[]).map((protocol) => {
    const { table, pool, moved0, moved1 } = tradeTables[protocol];
    const { table: created, pool: key, sides, condition } = creations[protocol];
    return `select ${bucketOf(series)} as bucket, case when ${sides[0]} = '${token}' then ${moved0} else ${moved1} end as moved
        from ${view(created)} c join ${view(table)} f on ${pool} = ${key}
       where ${condition} and '${token}' in (${sides.join(", ")}) and ${inSpan(series)}`;
  });
  return `select bucket, count(*)::int as n, sum(moved)::text as amount
      from (${texts.join(" union all ")}) t group by bucket`;
}

export interface IslandSums {
  bucket: number;
  kind: "mint" | "burn" | "fees";
  n: number;
  amount0: string;
  amount1: string;
}

export const islandSumsText = ({ view }: Views, series: SeriesSpan, island: Address): string => `
  select ${bucketOf(series)} as bucket, f.kind, count(*)::int as n, sum(f.amount0)::text as amount0, sum(f.amount1)::text as amount1
    from ${view("island_flow")} f where ${inSpan(series)} and f.island = '${island}' group by 1, 2`;
