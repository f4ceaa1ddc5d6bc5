// The rows that a fold would have written by now: what the reducer emitted, not its inner state.
import type { RangeTicks } from "../../core/concentrated/position-amounts.ts";
import type { NftRow, PoolRow, PositionRow, TickRow, V3Row } from "../../core/concentrated/rows.ts";

interface Range {
  tickLower: number;
  tickUpper: number;
}

/** Rows by key; rows that have ended stay, so that the chain can be asked whether they really ended. */
export class RowStore {
  readonly #pools = new Map<string, PoolRow>();
  readonly #ticks = new Map<string, Map<number, TickRow>>();
  readonly #positions = new Map<string, Map<string, PositionRow>>();
  readonly #nfts = new Map<string, Map<bigint, NftRow>>();

  put(row: V3Row): void {
    if (row.kind === "pool") this.#pools.set(row.pool, row);
    else if (row.kind === "tick") inner(this.#ticks, row.pool).set(row.tick, row);
    else if (row.kind === "position") inner(this.#positions, row.pool).set(keyOf(row), row);
    else inner(this.#nfts, row.pool).set(row.tokenId, row);
  }

  all(): V3Row[] {
    const rows: V3Row[] = [...this.#pools.values()];
    for (const group of [this.#ticks, this.#positions, this.#nfts]) {
      for (const rowsOfPool of group.values()) rows.push(...rowsOfPool.values());
    }
    return rows;
  }

  pool(address: string): PoolRow {
    const row = this.#pools.get(address);
    if (row === undefined) throw new Error(`no row of pool ${address}`);
    return row;
  }

  ticks(pool: string): TickRow[] {
    return [...inner(this.#ticks, pool).values()];
  }

  positions(pool: string): PositionRow[] {
    return [...inner(this.#positions, pool).values()];
  }

  nfts(pool: string): NftRow[] {
    return [...inner(this.#nfts, pool).values()];
  }

  position(pool: string, key: Range & { owner: string }): PositionRow {
    const row = inner(this.#positions, pool).get(keyOf(key));
    if (row === undefined) throw new Error(`no row of position ${keyOf(key)} in pool ${pool}`);
    return row;
  }

  rangeTicks(pool: string, { tickLower, tickUpper }: Range): RangeTicks {
    const ticks = inner(this.#ticks, pool);
    return { lower: ticks.get(tickLower), upper: ticks.get(tickUpper) };
  }
}

function keyOf({ owner, tickLower, tickUpper }: Range & { owner: string }): string {
  return `${owner}:${tickLower}:${tickUpper}`;
}

function inner<Key, Row>(outer: Map<string, Map<Key, Row>>, pool: string): Map<Key, Row> {
  const found = outer.get(pool) ?? new Map<Key, Row>();
  outer.set(pool, found);
  return found;
}
