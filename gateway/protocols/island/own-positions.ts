// The position that each island holds in its pool under its own address, and what it would pay.

import { type PositionAmounts, positionAmounts, type RangeTicks } from "../../../core/concentrated/position-amounts.ts";
import type { PoolRow, PositionRow } from "../../../core/concentrated/rows.ts";
import type { IslandRow } from "../../../core/island/state.ts";
import { heldOfBoth } from "../../backing/ledger.ts";
import type { LedgerAt } from "../../backing/ledger-at.ts";
import { requireRunning, type V3Pool } from "../../concentrated/pool.ts";
import { poolsAmong } from "../../concentrated/pools-at.ts";
import { readPositionsBy, readTicksBy } from "../../concentrated/rows-by-key.ts";
import { positionKey, readSlots } from "../../concentrated/state-at.ts";
import type { AsOf } from "../../history/as-of.ts";
import type { Island } from "./island.ts";

/** An island with what decides the worth of its shares. */
export interface IslandWithRow {
  island: Island;
  row: IslandRow;
}

const NOTHING: PositionAmounts = { principal0: 0n, principal1: 0n, fees0: 0n, fees1: 0n };

const rangeKey = ({ row }: IslandWithRow): string => positionKey({ ...row, owner: row.island });

/** An island's own position at its present range, with what decides what it would pay. */
export interface OwnRange {
  slot: PoolRow;
  position: PositionRow;
  ticks: RangeTicks;
}

/**
 * Of islands that have a position, by island.
 * @throws PoolStoppedError when a pool's state is unknown
 */
export async function readOwnRanges(at: AsOf, islands: readonly IslandWithRow[]): Promise<Map<string, OwnRange>> {
  const pools = await poolsAmong(at, [...new Set(islands.map(({ island }) => island.pool))]);
  for (const pool of pools) requireRunning(pool);
  const byAddress = new Map<string, V3Pool>(pools.map((pool) => [pool.address, pool]));
  const ranges = islands.flatMap(({ island, row }) => {
    const pool = byAddress.get(island.pool);
    return pool ? [{ pool, owner: island.address, tickLower: row.tickLower, tickUpper: row.tickUpper }] : [];
  });
  const ends = ranges.flatMap(({ pool, tickLower, tickUpper }) =>
    [tickLower, tickUpper].map((tick) => ({ pool, tick })),
  );
  const [slots, positions, ticks] = await Promise.all([
    readSlots(at, pools),
    readPositionsBy(at, ranges),
    readTicksBy(at, ends),
  ]);
  return new Map(
    islands.flatMap((one) => {
      const { island, row } = one;
      const slot = slots.get(island.pool);
      const position = positions.get(island.pool)?.get(rangeKey(one));
      if (!slot || !position) return [];
      const own = ticks.get(island.pool);
      const range = { lower: own?.get(row.tickLower), upper: own?.get(row.tickUpper) };
      return [[island.address, { slot, position, ticks: range }] as const];
    }),
  );
}

/**
 * What `islands`' own positions would pay, by island; with `countedAmounts` what the islands say of them.
 * @throws what readOwnRanges throws
 */
export async function readOwnPositions(
  at: AsOf,
  islands: readonly IslandWithRow[],
  amountsOf: typeof positionAmounts = positionAmounts,
): Promise<Map<string, PositionAmounts>> {
  const ranges = await readOwnRanges(at, islands);
  return new Map(
    islands.map(({ island }) => {
      const range = ranges.get(island.address);
      return [island.address, range ? amountsOf(range.slot, range) : NOTHING];
    }),
  );
}

/** What lies in each island's own wallet beside its position: raw units of both tokens. */
export const readIdle = (ledger: LedgerAt, islands: readonly IslandWithRow[]): Promise<(readonly [bigint, bigint])[]> =>
  heldOfBoth(
    ledger,
    islands.map(({ island }) => island),
  );
