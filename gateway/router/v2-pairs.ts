// v2 pairs as routes need them: their reserves and what they hold beyond them.
import type { V2Pool } from "../../core/router/pool.ts";
import type { OperationContext } from "../context.ts";
import type { AsOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { allPairs, changedPairs, type PairReserves, reservesAt, withReserves } from "../protocols/v2/pairs-at.ts";
import { type Unsynced, unsyncedOf } from "../protocols/v2/unsynced-at.ts";

/** By address; undefined: holds less than its reserves, so it is not to be used. */
export type V2States = ReadonlyMap<Address, V2Pool | undefined>;

/** Every pair that has reserves at the block. */
export async function everyPair(context: OperationContext, point: BlockPoint): Promise<V2States> {
  const [pairs, reserves] = await Promise.all([allPairs(context, point), reservesAt(context, point)]);
  return toPools(context, point, withReserves(pairs, reserves));
}

/** Pairs that blocks after `after` have changed; undefined when `after` lies below the last final block. */
export async function movedPairs(context: OperationContext, at: AsOf, after: number): Promise<V2States | undefined> {
  if (!context.chain.v2) return new Map();
  const changed = await changedPairs(at, after);
  return changed && toPools(context, at.point, changed);
}

async function toPools(
  context: OperationContext,
  point: BlockPoint,
  pairs: readonly PairReserves[],
): Promise<V2States> {
  const fee = context.chain.v2?.swapFee ?? 0;
  const found = await unsyncedOf(context, point, pairs);
  return new Map(
    pairs.map(({ address, token0, token1, reserve0, reserve1 }, i) => {
      const { isShort, ...unsynced } = found[i] as Unsynced;
      const pool: V2Pool = { kind: "v2", address, token0, token1, fee, reserve0, reserve1, ...unsynced };
      return [address, isShort ? undefined : pool];
    }),
  );
}
