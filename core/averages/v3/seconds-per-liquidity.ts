// A pool's own oracle, as far as it counts seconds per liquidity. v3-core contracts/libraries/Oracle.sol
import type { Cumulative } from "../cumulative.ts";
import { indexAt } from "../steps.ts";

/** A block in which the pool wrote an observation, and the liquidity in range from its end until the next one. */
export interface Observation {
  block: number;
  liquidity: bigint;
}

/**
 * `secondsPerLiquidityCumulativeX128` as the pool counts it at the time of each block, from 0 at the first observation and
 * without a wrap: differences are the contract's, modulo 2^160. Rounded down between observations as there (`transform`).
 * `observations` ascend; all from the last one at or before the range's first block on are there. `timestamps` are those of
 * the range's blocks and of the blocks of the observations.
 */
export function secondsPerLiquidity(observations: readonly Observation[], timestamps: Cumulative): Cumulative {
  const written: Written[] = [];
  for (const { block, liquidity } of observations) {
    const time = timestamps.at(block);
    const last = written.at(-1);
    written.push({ from: block, liquidity, time, value: last === undefined ? 0n : valueSince(last, time) });
  }
  return {
    at(block) {
      const last = written[indexAt(written, block)];
      return last === undefined ? 0n : valueSince(last, timestamps.at(block));
    },
  };
}

interface Written {
  from: number;
  liquidity: bigint;
  time: bigint;
  value: bigint;
}

/** v3-core Oracle.sol `transform`: seconds without liquidity count as if there were 1. */
const valueSince = ({ liquidity, time, value }: Written, now: bigint): bigint =>
  value + ((now - time) << 128n) / (liquidity > 0n ? liquidity : 1n);

/** What a pool said in one log: its price moved, or liquidity came to a range or left it. */
export type OracleFact =
  | { kind: "price"; block: number; tick: number }
  | { kind: "liquidity"; block: number; tickLower: number; tickUpper: number; amount: bigint };

/**
 * The blocks in which the pool wrote an observation: with its first price, by a swap that ended at another tick, and where
 * liquidity in range changed. `facts` are the pool's in the order of their logs; `tick` is the one before the first of them,
 * `undefined` where the pool had no price. v3-core UniswapV3Pool.sol `swap`, `_modifyPosition`
 */
export function observedBlocks(facts: Iterable<OracleFact>, tick: number | undefined): number[] {
  const blocks: number[] = [];
  let current = tick;
  for (const fact of facts) {
    let isObserved: boolean;
    if (fact.kind === "price") {
      isObserved = fact.tick !== current;
      current = fact.tick;
    } else {
      const { tickLower, tickUpper, amount } = fact;
      isObserved = amount > 0n && current !== undefined && tickLower <= current && current < tickUpper;
    }
    if (isObserved && blocks.at(-1) !== fact.block) blocks.push(fact.block);
  }
  return blocks;
}
