// How long a pool's price was within two ticks, how much of its liquidity-time that was, and what a position had of it.
import type { Cumulative } from "../../core/averages/cumulative.ts";
import type { Steps } from "../../core/averages/steps.ts";
import { secondsPerLiquidity } from "../../core/averages/v3/seconds-per-liquidity.ts";
import { type TickRangeSpan, weighInside } from "../../core/averages/v3/weigh-inside.ts";
import type { BlockSpan } from "../../core/block-span.ts";
import { MAX_TICK, MIN_TICK } from "../../core/math/tick-math.ts";
import { blockTimes } from "../averages/block-times.ts";
import { observationsOver } from "../averages/pool-observations.ts";
import { type HeldLiquidity, type PricedLiquidity, V3Rows } from "../averages/v3-rows.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import type { Operation, OperationContext } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { locatePoolRange } from "./locate-range.ts";
import { PositionNotFoundError } from "./positions.ts";

/** Either a token id of the pool's manager, or two ticks; with `owner` the position that this account has there in the pool itself. */
interface TimeInRangeInput {
  pool: Address;
  from: BlockChoice;
  to: BlockChoice;
  tickLower?: number | undefined;
  tickUpper?: number | undefined;
  owner?: Address | undefined;
  tokenId?: bigint | undefined;
}

interface TimeInRange {
  pool: V3Pool;
  from: BlockPoint;
  to: BlockPoint;
  tickLower: number;
  tickUpper: number;
  /** From the first block's time to the last one's. The state at a block's end holds until the next block's time. */
  seconds: bigint;
  /** While the tick was from `tickLower` up to but not including `tickUpper`. */
  secondsInside: bigint;
  /** What the pool's `snapshotCumulativesInside` grew by, modulo 2^160. */
  secondsPerLiquidityInsideX128: bigint;
  position: PositionTime | undefined;
}

interface PositionTime {
  /** Liquidity times the seconds in which it was in range, summed up. */
  liquiditySeconds: bigint;
  /** The same per liquidity in range, of everybody: seconds in which all of it would have been the position's, times 2^128. */
  secondsInsideX128: bigint;
}

/**
 * @throws InvalidInputError naming `tickLower`, `tickUpper`, `owner`, `tokenId` or the first block; PoolNotFoundError, PoolStoppedError,
 * PositionNotFoundError, TooManyFactsError; what pointOf throws
 */
export const timeInRange: Operation<TimeInRangeInput, TimeInRange> = {
  name: "timeInRange",
  async run(input, context) {
    const place = placeOf(input);
    const { pool, from, to } = await locatePoolRange(context, input);
    const range = { from: from.block, to: to.block };
    const at = asOf(context.snapshot, to);
    const rows = new V3Rows(at, range);
    const { ticks, held } = await positionOver(rows, pool, { place, last: range.to });
    const { tickLower, tickUpper } = ticks;
    const steps = await rows.priceSteps(pool.id);
    const whole = { from: range.from, until: range.to + 1, tickLower, tickUpper };
    const spans = [whole, ...(held ?? [])];
    const clocks = await clocksOf(context, { at, pool, range, steps, spans });
    const [secondsInside = 0n, ...heldSeconds] = weighInside(steps, spans, clocks.seconds);
    const [perLiquidity = 0n, ...heldPerLiquidity] = weighInside(steps, spans, clocks.perLiquidity);
    return {
      pool,
      from,
      to,
      tickLower,
      tickUpper,
      secondsInside,
      seconds: clocks.seconds.at(range.to) - clocks.seconds.at(range.from),
      secondsPerLiquidityInsideX128: BigInt.asUintN(160, perLiquidity),
      position: held && {
        liquiditySeconds: weighed(held, heldSeconds),
        secondsInsideX128: weighed(held, heldPerLiquidity),
      },
    };
  },
};

const weighed = (held: readonly HeldLiquidity[], weights: readonly bigint[]): bigint =>
  held.reduce((sum, { liquidity }, i) => sum + liquidity * (weights[i] ?? 0n), 0n);

interface Ticks {
  tickLower: number;
  tickUpper: number;
}

type Place = { ticks: Ticks; owner: Address | undefined } | { ticks?: undefined; tokenId: bigint };

function placeOf({ tickLower, tickUpper, owner, tokenId }: TimeInRangeInput): Place {
  if (tokenId !== undefined) {
    const [other] = Object.entries({ tickLower, tickUpper, owner }).filter(([, value]) => value !== undefined);
    if (other) throw new InvalidInputError(other[0], "is decided by tokenId; give only one of them");
    return { tokenId };
  }
  const lower = requireTick("tickLower", tickLower);
  const upper = requireTick("tickUpper", tickUpper);
  if (lower >= upper) throw new InvalidInputError("tickUpper", `must be above tickLower, ${lower}`);
  return { ticks: { tickLower: lower, tickUpper: upper }, owner };
}

function requireTick(parameter: string, tick: number | undefined): number {
  if (tick === undefined) throw new InvalidInputError(parameter, "is missing; give two ticks, or a tokenId instead");
  if (tick < MIN_TICK || tick > MAX_TICK) {
    throw new InvalidInputError(parameter, `must be a tick from ${MIN_TICK} to ${MAX_TICK}`);
  }
  return tick;
}

async function positionOver(
  rows: V3Rows,
  pool: V3Pool,
  { place, last }: { place: Place; last: number },
): Promise<{ ticks: Ticks; held: HeldLiquidity[] | undefined }> {
  if (place.ticks !== undefined) {
    const { ticks, owner } = place;
    if (owner === undefined) return { ticks, held: undefined };
    return { ticks, held: await rows.directPosition(pool.id, { owner, ...ticks }) };
  }
  const { tokenId } = place;
  const held = await rows.tokenId(pool.manager, tokenId);
  const [ticks] = held;
  if (ticks === undefined) throw new PositionNotFoundError(tokenId, pool.manager, last);
  if (ticks.pool === pool.id) return { ticks, held };
  throw new InvalidInputError("tokenId", `is no position of pool ${pool.address}; ask for the pool that it is in`);
}

interface PoolClocks {
  seconds: Cumulative;
  perLiquidity: Cumulative;
}

async function clocksOf(
  { snapshot }: OperationContext,
  over: {
    at: AsOf;
    pool: V3Pool;
    range: BlockSpan;
    steps: Steps<PricedLiquidity | undefined>;
    spans: readonly TickRangeSpan[];
  },
): Promise<PoolClocks> {
  const { at, pool, range, steps, spans } = over;
  const observations = await observationsOver({ snapshot, at, pool }, range, steps);
  const times = await blockTimes(at, [
    ...[range.from, range.to],
    ...steps.map(({ from }) => from),
    ...spans.flatMap(({ from, until }) => [from, Math.min(until, range.to)]),
    ...observations.map(({ block }) => block),
  ]);
  // the last block's state does not last within the range
  const seconds = { at: (block: number) => times.get(Math.min(block, range.to)) ?? 0n };
  return { seconds, perLiquidity: secondsPerLiquidity(observations, seconds) };
}
