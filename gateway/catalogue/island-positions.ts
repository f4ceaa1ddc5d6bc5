// Every island at a block with the position it holds: where it stands and what it would pay.

import { countedAmounts, type PositionAmounts } from "../../core/concentrated/position-amounts.ts";
import type { PoolRow } from "../../core/concentrated/rows.ts";
import type { IslandRow } from "../../core/island/state.ts";
import { type IslandSide, islandSides } from "../../core/island/underlying.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import { poolsAmong } from "../concentrated/pools-at.ts";
import { readSlots } from "../concentrated/state-at.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Island } from "../protocols/island/island.ts";
import { allIslands, readIslandRows } from "../protocols/island/islands-at.ts";
import { type IslandWithRow, readIdle, readOwnPositions } from "../protocols/island/own-positions.ts";

export interface IslandAt {
  island: Island;
  /** Undefined where the island's state is unknown. */
  row: IslandRow | undefined;
  pool: V3Pool | undefined;
  /** Undefined until the pool is initialised, and when unknown. */
  slot: PoolRow | undefined;
  /** Of the position alone, as the island counts; undefined where the state of island or pool is unknown. */
  position: PositionAmounts | undefined;
  /** Both tokens as the island's shares have them; undefined when unknown, and where not asked for. */
  sides: readonly [IslandSide, IslandSide] | undefined;
}

/** In order of creation; `whole` asks for {@link IslandAt.sides}. */
export async function islandsAt(
  context: OperationContext,
  point: BlockPoint,
  { whole }: { whole: boolean },
): Promise<IslandAt[]> {
  if (!context.chain.islands) return [];
  const at = asOf(context.snapshot, point);
  const islands = await allIslands(at);
  const [rows, found] = await Promise.all([
    readIslandRows(at, islands),
    poolsAmong(at, [...new Set(islands.map(({ pool }) => pool))]),
  ]);
  const pools = new Map(found.map((pool) => [pool.address, pool]));
  const running = found.filter(({ stopped }) => !stopped);
  const readable = new Set(running.map(({ address }) => address));
  const complete = islands.flatMap((island) => {
    const row = rows.get(island.address);
    return row && readable.has(island.pool) ? [{ island, row }] : [];
  });
  const [slots, positions, held] = await Promise.all([
    readSlots(at, running),
    readOwnPositions(at, complete, countedAmounts),
    whole ? readIdle(ledgerAt(context, point), complete) : undefined,
  ]);
  const sides = held && sidesOf(complete, positions, held);
  return islands.map((island) => ({
    island,
    row: rows.get(island.address),
    pool: pools.get(island.pool),
    slot: slots.get(island.pool),
    position: positions.get(island.address),
    sides: sides?.get(island.address),
  }));
}

/** What each of `complete` has of both tokens, by island. `held`: see {@link readIdle}. */
function sidesOf(
  complete: readonly IslandWithRow[],
  positions: ReadonlyMap<string, PositionAmounts>,
  held: Awaited<ReturnType<typeof readIdle>>,
): Map<string, readonly [IslandSide, IslandSide]> {
  return new Map(
    complete.flatMap(({ island, row }, i) => {
      const position = positions.get(island.address);
      const [held0 = 0n, held1 = 0n] = held[i] ?? [];
      return position ? [[island.address, islandSides(row, { position, held0, held1 })] as const] : [];
    }),
  );
}
