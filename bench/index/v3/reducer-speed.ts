// The reducer alone: facts in memory in, rows of every block out.
import { addPool, applyFact, createWorld, takeChanges } from "../../../core/v3/reducer.ts";
import { FEE, TICK_SPACING, V3_MANAGER, type V3Chain } from "./v3-chain.ts";

export interface ReducerRun {
  swapsPerS: number;
  rows: number;
}

/** @throws Error when the replay stops a pool or ends in another state than the chain */
export function runReducer(chain: V3Chain): ReducerRun {
  const world = createWorld({ manager: V3_MANAGER });
  const constants = { fee: FEE, tickSpacing: TICK_SPACING, initialFeeProtocol0: 0, initialFeeProtocol1: 0 };
  for (const pool of chain.poolAddresses) addPool(world, { ...constants, pool, flavour: "uniswap" });
  let block = 0;
  let rows = 0;
  const from = performance.now();
  for (const fact of chain.facts) {
    if (fact.block !== block) rows += takeChanges(world).length;
    block = fact.block;
    const mismatch = applyFact(world, fact);
    if (mismatch) throw mismatch;
  }
  rows += takeChanges(world).length;
  const seconds = (performance.now() - from) / 1000;
  for (const [index, { price, tick, liquidity }] of (chain.stateAt(chain.lastFinal) ?? []).entries()) {
    const pool = world.pools.get(chain.poolAddresses[index] ?? "");
    if (pool?.sqrtPriceX96 !== price || pool.tick !== tick || pool.liquidity !== liquidity)
      throw new Error(`the replay of pool ${chain.poolAddresses[index]} ends elsewhere than the pool`);
  }
  return { swapsPerS: chain.shape.swaps / seconds, rows };
}
