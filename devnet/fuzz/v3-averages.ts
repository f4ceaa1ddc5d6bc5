// Compares averages of all positions of a world, calculated from sums over its pools' prices, with those from every single block.
import { FRACTION_BITS } from "../../core/averages/cumulative.ts";
import type { LiquiditySpan, PoolHistory } from "../../core/averages/v3/pool-history.ts";
import { weighClaims } from "../../core/averages/v3/weigh-claims.ts";
import type { NftRow, PoolRow, PositionRow, TickRow, V3Row } from "../../core/concentrated/rows.ts";
import type { Random } from "../scenario/random.ts";
import { bruteClaims, type Ratio } from "./exact-claims.ts";
import type { Comparison } from "./v3-compare.ts";

interface Version<Row> {
  block: number;
  row: Row;
}

type Versions<Row> = Map<string, Version<Row>[]>;

interface PoolRows {
  slots: Version<PoolRow>[];
  ticks: Versions<TickRow>;
  /** Direct positions and token ids. */
  positions: Versions<PositionRow | NftRow>;
}

/** Rows with the block at whose end they became valid. */
export class RowHistory {
  readonly #pools = new Map<string, PoolRows>();

  put(block: number, row: V3Row): void {
    const pool = this.#pools.get(row.pool) ?? { slots: [], ticks: new Map(), positions: new Map() };
    this.#pools.set(row.pool, pool);
    if (row.kind === "pool") add(pool.slots, { block, row });
    else if (row.kind === "tick") add(listOf(pool.ticks, String(row.tick)), { block, row });
    else if (row.kind === "nft") add(listOf(pool.positions, String(row.tokenId)), { block, row });
    else add(listOf(pool.positions, `${row.owner} ${row.tickLower} ${row.tickUpper}`), { block, row });
  }

  pools(): [string, PoolRows][] {
    return [...this.#pools];
  }
}

function listOf<Row>(lists: Versions<Row>, key: string): Version<Row>[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Only the last row of a block counts. */
function add<Row>(versions: Version<Row>[], version: Version<Row>): void {
  if (versions.at(-1)?.block === version.block) versions.pop();
  versions.push(version);
}

interface Range {
  from: number;
  to: number;
}

/** Each position's average over a range of its own between two blocks: token 0 and token 1, to the wei. */
export function compareAverages(
  history: RowHistory,
  { first, last }: { first: number; last: number },
  random: Random,
): Comparison {
  const comparison: Comparison = { compared: 0, differences: [] };
  for (const [address, rows] of history.pools()) {
    for (const [key, versions] of rows.positions) {
      const from = random.between(first, last);
      const range = { from, to: random.between(from, last) };
      const weight = weightsOf(range, random);
      const total = weight.at(range.to + 1) - weight.at(range.from);
      if (total === 0n) continue;
      const averages = averagesOf(rows, versions, { ...range, weight });
      const exact = exactSums(rows, versions, { ...range, weight }).map(({ over, under }) => over / (under * total));
      comparison.compared += 2;
      const [chain, replayed] = [exact.join(" "), averages.join(" ")];
      if (chain === replayed) continue;
      comparison.differences.push({
        what: `average of ${key} in ${address}, ${range.from}…${range.to}`,
        chain,
        replayed,
      });
    }
  }
  return comparison;
}

interface Weighed extends Range {
  weight: { at(block: number): bigint };
}

/** Scaled weights; some blocks weigh nothing. */
function weightsOf({ from, to }: Range, random: Random): Weighed["weight"] {
  const before = [0n];
  for (let block = from; block <= to; block++) {
    before.push((before.at(-1) ?? 0n) + (BigInt(random.pick([0, 1, 1, 2, 30])) << FRACTION_BITS));
  }
  return { at: (block) => before[block - from] ?? 0n };
}

function averagesOf(
  rows: PoolRows,
  versions: Version<PositionRow | NftRow>[],
  { from, to, weight }: Weighed,
): bigint[] {
  const span = { from, to };
  const slots = stretchesOf(rows.slots, span).map(({ from: since, row }) => ({ from: since, value: row }));
  const pool: PoolHistory = {
    slots: slots[0]?.from === from ? slots : [{ from, value: undefined }, ...slots],
    ticks: [...rows.ticks.values()].flatMap((ticks) =>
      stretchesOf(ticks, span).flatMap(({ row, ...at }) => (row.liquidityGross === 0n ? [] : [{ ...row, ...at }])),
    ),
  };
  const spans = stretchesOf(versions, span).map(({ row, ...at }): LiquiditySpan => ({ ...row, ...at }));
  const sums = weighClaims(pool, spans, weight);
  const total = weight.at(to + 1) - weight.at(from);
  return [sums.map(({ amount0 }) => amount0), sums.map(({ amount1 }) => amount1)].map((amounts) => {
    const sum = amounts.reduce((a, b) => a + b, 0n);
    // an exact integer must not lose a wei to a sum of floors
    return (sum + (total >> 128n)) / total;
  });
}

function stretchesOf<Row>(versions: Version<Row>[], { from, to }: Range): { from: number; until: number; row: Row }[] {
  return versions.flatMap(({ block, row }, index) => {
    const until = Math.min(versions[index + 1]?.block ?? to + 1, to + 1);
    const since = Math.max(block, from);
    return since < until ? [{ from: since, until, row }] : [];
  });
}

function exactSums(rows: PoolRows, versions: Version<PositionRow | NftRow>[], { from, to, weight }: Weighed): Ratio[] {
  const at = <Row>(list: Version<Row>[] | undefined, block: number): Row | undefined =>
    list?.findLast((version) => version.block <= block)?.row;
  const blocks = Array.from({ length: to + 1 - from }, (_, index) => from + index);
  return bruteClaims(
    blocks.flatMap((block) => {
      const position = at(versions, block);
      if (position === undefined) return [];
      const ticks = { get: (tick: number) => at(rows.ticks.get(String(tick)), block) };
      const own = weight.at(block + 1) - weight.at(block);
      return [{ pool: { slot: at(rows.slots, block), ticks }, position, weight: own }];
    }),
  );
}
