// Compares the time that a pool's price was within positions' ranges between two blocks with the pool's own counts.
import type { PositionRow } from "../core/concentrated/rows.ts";
import type { V3PoolState } from "../gateway/concentrated/state-at.ts";
import { blockNumbered } from "../gateway/history/block-choice.ts";
import { HistoryUnavailableError } from "../gateway/lake/lake-errors.ts";
import { timeInRange } from "../gateway/questions/time-in-range.ts";
import type { NoteNumbers } from "./compare-pool.ts";
import type { Contracts } from "./contract-answers.ts";
import { poolAbi, type Read, readAll } from "./pool-contracts.ts";
import type { Served } from "./served-answers.ts";

interface PoolBetween {
  from: { state: V3PoolState; block: number };
  to: { state: V3PoolState; block: number };
}

/** Ranges compared for a pool between two blocks. */
const MOST_RANGES = 10;

/** Pools without `snapshotCumulativesInside` are skipped. */
export async function compareTimeInside(
  { served, contracts }: { served: Served; contracts: Contracts },
  between: PoolBetween,
  note: NoteNumbers,
): Promise<void> {
  const { from, to } = between;
  const { address } = to.state.pool;
  const ranges = untouched(between);
  const reads = ranges.map(
    ({ tickLower, tickUpper }): Read => ({
      ...{ address, abi: poolAbi, functionName: "snapshotCumulativesInside", args: [tickLower, tickUpper] },
    }),
  );
  const [before, after] = [
    await readAll(contracts.client, reads, from.block),
    await readAll(contracts.client, reads, to.block),
  ];
  for (const [i, { tickLower, tickUpper }] of ranges.entries()) {
    const [start, end] = [before[i] as Snapshot | undefined, after[i] as Snapshot | undefined];
    if (start === undefined || end === undefined) continue;
    const range = {
      ...{ pool: address, tickLower, tickUpper },
      ...{ from: blockNumbered(from.block, "from"), to: blockNumbered(to.block, "to") },
    };
    const answer = await served.ask(timeInRange, range).catch(unlessPruned);
    if (answer === undefined) continue;
    const here = `${answer.secondsInside} ${answer.secondsPerLiquidityInsideX128}`;
    const there = `${BigInt.asUintN(32, BigInt(end[2] - start[2]))} ${BigInt.asUintN(160, end[1] - start[1])}`;
    const line = `time in ${tickLower}…${tickUpper} since block ${from.block} served ${here}; contract ${there}`;
    note("time in range", 2, here === there ? undefined : line);
  }
}

/** The pool's last observation before the first block may lie in history that was pruned: that range is passed over. */
function unlessPruned(error: unknown): undefined {
  if (!(error instanceof HistoryUnavailableError)) throw error;
}

type Snapshot = [tickCumulative: bigint, secondsPerLiquidityX128: bigint, seconds: number];

/** Ranges whose ticks were initialised all the time: a position had its liquidity there at both blocks, and was not touched. */
function untouched({ from, to }: PoolBetween): PositionRow[] {
  const isSame = (one: PositionRow, other: PositionRow | undefined): boolean =>
    one.liquidity > 0n &&
    one.liquidity === other?.liquidity &&
    one.feeGrowthInside0LastX128 === other.feeGrowthInside0LastX128 &&
    one.feeGrowthInside1LastX128 === other.feeGrowthInside1LastX128;
  return [...to.state.positions]
    .flatMap(([key, row]) => (isSame(row, from.state.positions.get(key)) ? [row] : []))
    .slice(0, MOST_RANGES);
}
