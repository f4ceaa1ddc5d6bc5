// v3 pools at a block: one with its whole slot, or all, in order of creation.
import type { PoolRow, TickRow } from "../../core/concentrated/rows.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import { countPools, poolsAfter, poolsAmong, runningPool } from "../concentrated/pools-at.ts";
import { readSlots, readTicks } from "../concentrated/state-at.ts";
import type { Operation, OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { type Cursor, ForeignCursorError, isAddressPlace, pointOfPage, readCursor, writeCursor } from "./cursors.ts";

export interface V3PoolAt {
  pool: V3Pool;
  /** Undefined until `initialize`, and for pools whose state is unknown. */
  slot: PoolRow | undefined;
  point: BlockPoint;
}

/** The block asked and what v3 needs to read there. @throws what pointOf throws; PageReplacedError */
export async function openV3(
  context: OperationContext,
  input: { block: BlockChoice; cursor?: Cursor | undefined },
): Promise<AsOf> {
  return asOf(context.snapshot, await pointOfPage(context, input));
}

/** @throws PoolNotFoundError, PoolStoppedError, and what pointOf throws */
export const poolAt: Operation<{ pool: Address; block: BlockChoice }, V3PoolAt> = {
  name: "pool",
  async run(input, context) {
    const at = await openV3(context, input);
    const pool = await runningPool(at, input.pool);
    const slots = await readSlots(at, [pool]);
    return { pool, slot: slots.get(pool.address), point: at.point };
  },
};

/** Initialised ticks above `after`, ascending. @throws what poolAt throws */
export const poolTicks: Operation<
  { pool: Address; block: BlockChoice; first: number; after?: number | undefined },
  TickRow[]
> = {
  name: "pool",
  async run(input, context) {
    const at = await openV3(context, input);
    const pool = await runningPool(at, input.pool);
    const ticks = (await readTicks(at, [pool])).get(pool.address) ?? new Map<number, TickRow>();
    const above = [...ticks.values()].filter(({ tick }) => input.after === undefined || tick > input.after);
    return above.sort((a, b) => a.tick - b.tick).slice(0, input.first);
  },
};

export interface V3PoolsPage {
  entries: (V3PoolAt & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
  point: BlockPoint;
}

/** Pools, of `token` where it is given, oldest first; those whose state is unknown have no slot. @throws InvalidInputError naming `after` */
export const poolsPage: Operation<
  { token?: Address | undefined; block: BlockChoice; first: number; after?: string | undefined },
  V3PoolsPage
> = {
  name: "pools",
  async run({ token, block, first, after }, context) {
    const cursor = readCursor(after, isAddressPlace);
    const at = await openV3(context, { block, cursor });
    const { point } = at;
    const last = cursor?.at[0] as Address | undefined;
    if (last !== undefined && (await poolsAmong(at, [last])).length === 0) throw new ForeignCursorError();
    const next = await poolsAfter(at, { token, after: last, limit: first + 1 });
    const totalCount = await countPools(at, token);
    const shown = next.slice(0, first);
    const slots = await readSlots(
      at,
      shown.filter(({ stopped }) => !stopped),
    );
    const entries = shown.map((pool) => ({
      pool,
      slot: slots.get(pool.address),
      point,
      cursor: writeCursor(point, [pool.address]),
    }));
    return { entries, totalCount, hasNextPage: next.length > shown.length, point };
  },
};
