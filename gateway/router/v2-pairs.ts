// v2 pairs as routes need them: their reserves and what they hold beyond them.
import type { V2Pool } from "../../core/router/pool.ts";
import type { OperationContext } from "../context.ts";
import type { AsOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import { allPairs, changedPairs, type PairReserves, reservesAt, withReserves } from "../protocols/v2/pairs-at.ts";
import { unsyncedOf } from "../protocols/v2/unsynced-at.ts";

/** Every pair that has reserves at the block. */
export async function everyPair(context: OperationContext, point: BlockPoint): Promise<V2Pool[]> {
  const [pairs, reserves] = await Promise.all([allPairs(context, point), reservesAt(context, point)]);
  return toPools(context, point, withReserves(pairs, reserves));
}

/** Pairs that blocks after `after` have changed; undefined when `after` lies below the last final block. */
export async function movedPairs(context: OperationContext, at: AsOf, after: number): Promise<V2Pool[] | undefined> {
  if (!context.chain.v2) return [];
  const changed = await changedPairs(at, after);
  return changed && toPools(context, at.point, changed);
}

async function toPools(
  context: OperationContext,
  point: BlockPoint,
  pairs: readonly PairReserves[],
): Promise<V2Pool[]> {
  const fee = context.chain.v2?.swapFee ?? 0;
  const unsynced = await unsyncedOf(context, point, pairs);
  return pairs.map(({ address, token0, token1, reserve0, reserve1 }, i) => ({
    kind: "v2",
    address,
    token0,
    token1,
    fee,
    reserve0,
    reserve1,
    ...unsynced[i],
  }));
}
