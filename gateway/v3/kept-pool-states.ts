// States of pools, kept for a block: those of one token are wanted for the other one, too, and again for every block that
// many ask about.
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { V3Pool } from "./pool.ts";
import { readPoolStates, type V3PoolState, type V3Source } from "./state-at.ts";

const kept = keepAnswers<V3PoolState>({
  most: 25_000,
  weigh: ({ ticks, positions, nfts }) => 4 + ticks.size + positions.size + nfts.length,
});

/** {@link readPoolStates} of pools that are not pending. `index`: see `Snapshot.index`. */
export async function keptPoolStates(
  source: V3Source,
  { index, pools }: { index: string; pools: readonly V3Pool[] },
): Promise<V3PoolState[]> {
  const { point } = source.at;
  const placeOf = ({ address }: V3Pool) => ({ index, point, about: address });
  const known = new Map(pools.map((pool) => [pool.address, kept.known(placeOf(pool))]));
  const unread = pools.filter(({ address }) => known.get(address) === undefined);
  for (const state of unread.length === 0 ? [] : await readPoolStates(source, unread)) {
    kept.keep(placeOf(state.pool), state);
    known.set(state.pool.address, state);
  }
  return pools.flatMap(({ address }) => known.get(address) ?? []);
}
