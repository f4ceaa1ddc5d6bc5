// The position that each island holds in its pool under its own address, and what it would pay.

import type { IslandRow } from "../../core/island/state.ts";
import { type IslandSide, islandSides } from "../../core/island/underlying.ts";
import { type PositionAmounts, positionAmounts, type RangeTicks } from "../../core/v3/position-amounts.ts";
import type { PoolRow, PositionRow, TickRow } from "../../core/v3/rows.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../ledger/as-of.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { LedgerAt } from "../lookthrough/ledger-at.ts";
import type { Address } from "../parameters.ts";
import { readV3Overlay } from "../v3/overlay.ts";
import { requireTellable, type V3Pool } from "../v3/pool.ts";
import { poolsAmong } from "../v3/pools-at.ts";
import { positionKey, readSlots, type V3Source } from "../v3/state-at.ts";
import { readEach } from "../v3/stored-by-key.ts";
import { toRow } from "../v3/stored-rows.ts";
import type { Island } from "./island.ts";

/** An island with what decides the worth of its shares. */
export interface KnownIsland {
  island: Island;
  row: IslandRow;
}

const NOTHING: PositionAmounts = { principal0: 0n, principal1: 0n, fees0: 0n, fees1: 0n };

export const openV3 = async (
  context: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<V3Source> => ({
  at: asOf(context.snapshot, point),
  overlay: await readV3Overlay(context, point),
});

const rangeKey = ({ row }: KnownIsland): string => positionKey({ ...row, owner: row.island });

/** An island's own position at its present range, with what decides what it would pay. */
export interface OwnRange {
  slot: PoolRow;
  position: PositionRow;
  ticks: RangeTicks;
}

/**
 * Of islands that have a position, by island.
 * @throws PoolStoppedError, PoolPendingError when a pool cannot be told
 */
export async function readOwnRanges(source: V3Source, islands: readonly KnownIsland[]): Promise<Map<string, OwnRange>> {
  const pools = await poolsAmong(source, [...new Set(islands.map(({ island }) => island.pool))]);
  for (const pool of pools) requireTellable(pool);
  const slots = await readSlots(source, pools);
  const byAddress = new Map<string, V3Pool>(pools.map((pool) => [pool.address, pool]));
  const positions = await readPositions(source, islands, byAddress);
  const ticks = await readRangeTicks(source, islands, byAddress);
  return new Map(
    islands.flatMap((known) => {
      const { island, row } = known;
      const slot = slots.get(island.pool);
      const position = positions.get(`${island.pool} ${rangeKey(known)}`);
      if (!slot || !position) return [];
      const tick = (at: number) => {
        const found = ticks.get(`${island.pool} ${at}`);
        return found && found.liquidityGross > 0n ? found : undefined;
      };
      const range = { lower: tick(row.tickLower), upper: tick(row.tickUpper) };
      return [[island.address, { slot, position, ticks: range }] as const];
    }),
  );
}

/** What `islands`' own positions would pay, by island. @throws what readOwnRanges throws */
export async function readOwnPositions(
  source: V3Source,
  islands: readonly KnownIsland[],
): Promise<Map<string, PositionAmounts>> {
  const ranges = await readOwnRanges(source, islands);
  return new Map(
    islands.map(({ island }) => {
      const range = ranges.get(island.address);
      return [island.address, range ? positionAmounts(range.slot, range) : NOTHING];
    }),
  );
}

type Pools = ReadonlyMap<string, V3Pool>;
const addressesById = (pools: Pools): ReadonlyMap<number, string> =>
  new Map([...pools.values()].flatMap(({ id, address }) => (id === undefined ? [] : [[id, address] as const])));

/** By pool and {@link positionKey}. */
async function readPositions(
  { at, overlay }: V3Source,
  islands: readonly KnownIsland[],
  pools: Pools,
): Promise<Map<string, PositionRow>> {
  const wanted = islands.flatMap(({ island, row }) => {
    const id = pools.get(island.pool)?.id;
    return id === undefined ? [] : [[id, island.address, row.tickLower, row.tickUpper]];
  });
  const stored = await readEach(at, "position", wanted);
  const found = stored.map((one) => toRow("position", addressesById(pools), one));
  const changed = [...pools.keys()].flatMap((pool) => overlay.positions.get(pool) ?? []);
  return new Map([...found, ...changed].map((row) => [`${row.pool} ${positionKey(row)}`, row]));
}

/** By pool and tick. */
async function readRangeTicks(
  { at, overlay }: V3Source,
  islands: readonly KnownIsland[],
  pools: Pools,
): Promise<Map<string, TickRow>> {
  const wanted = islands.flatMap(({ island, row }) => {
    const id = pools.get(island.pool)?.id;
    return id === undefined ? [] : [`${id} ${row.tickLower}`, `${id} ${row.tickUpper}`];
  });
  const stored = await readEach(
    at,
    "tick",
    [...new Set(wanted)].map((one) => one.split(" ")),
  );
  const found = stored.map((one) => toRow("tick", addressesById(pools), one));
  const changed = [...pools.keys()].flatMap((pool) => overlay.ticks.get(pool) ?? []);
  return new Map([...found, ...changed].map((row) => [`${row.pool} ${row.tick}`, row]));
}

/** An island's two tokens, as `getUnderlyingBalances` counts them, by island. @throws what readOwnPositions throws */
export async function readIslandSides(
  { v3, ledger }: { v3: V3Source; ledger: LedgerAt },
  islands: readonly KnownIsland[],
): Promise<Map<string, readonly [IslandSide, IslandSide]>> {
  const positions = await readOwnPositions(v3, islands);
  const held = await ledger.amounts(
    islands.flatMap(({ island }) =>
      [island.token0, island.token1].map((key: Address) => ({ kind: "erc20", key, account: island.address })),
    ),
  );
  return new Map(
    islands.map(({ island, row }, i) => {
      const [held0, held1] = [held[2 * i] ?? 0n, held[2 * i + 1] ?? 0n];
      const position = positions.get(island.address) ?? NOTHING;
      return [island.address, islandSides(row, { position, held0, held1 })];
    }),
  );
}
