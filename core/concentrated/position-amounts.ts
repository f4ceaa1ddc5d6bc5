// What a position would pay now: everything taken out and collected at this state of the pool, principal and fees
// apart. Pure reads of rows; the rounding is the contracts'.
import type { Amounts } from "../math/liquidity-amounts.ts";
import { getFeeGrowthInside, type PoolGrowth, type TickGrowth, uncutFeesRoundingDown } from "../math/tick.ts";
import { principalRoundingDown } from "./principal.ts";

/** The pool at the block asked: its row has these. */
export interface PoolPoint extends PoolGrowth {
  sqrtPriceX96: bigint;
}

/** A position of the pool or a token id of the manager: the rows of both have these. */
export interface PositionPoint {
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
  feeGrowthInside0LastX128: bigint;
  feeGrowthInside1LastX128: bigint;
  tokensOwed0: bigint;
  tokensOwed1: bigint;
}

/** The two ticks of the range; absent once nobody uses them. */
export interface RangeTicks {
  lower: TickGrowth | undefined;
  upper: TickGrowth | undefined;
}

/**
 * Raw token units. `principal`: what the liquidity itself pays. `fees`: everything else that can be collected, that is
 * fees up to now and whatever was owed before (also liquidity taken out earlier and not collected).
 */
export interface PositionAmounts {
  principal0: bigint;
  principal1: bigint;
  fees0: bigint;
  fees1: bigint;
}

interface Owed {
  owed0: bigint;
  owed1: bigint;
}

/**
 * A direct position: what `burn(all)` then `collect(max)` by its owner would pay. Rounds down; sums wrap at 2^128
 * like the contract's. v3-core UniswapV3Pool.sol `burn`, `collect`
 */
export function positionAmounts(
  pool: PoolPoint,
  { position, ticks }: { position: PositionPoint; ticks: RangeTicks },
): PositionAmounts {
  const principal = principalRoundingDown(pool, position);
  const owed = owedWithFees(pool, { position, ticks });
  return apart(principal, {
    owed0: BigInt.asUintN(128, owed.owed0 + principal.amount0),
    owed1: BigInt.asUintN(128, owed.owed1 + principal.amount1),
  });
}

/**
 * A token id: what `decreaseLiquidity(all)` then `collect(max)` by its owner would pay. The manager asks the pool for
 * what its own account of the id says; the pool's account of the whole range (`managerPosition`) can hold some wei
 * less, and then pays that. v3-periphery contracts/NonfungiblePositionManager.sol
 */
export function nftAmounts(
  pool: PoolPoint,
  { nft, managerPosition, ticks }: { nft: PositionPoint; managerPosition: PositionPoint; ticks: RangeTicks },
): PositionAmounts {
  const principal = principalRoundingDown(pool, nft);
  const byManager = owedWithFees(pool, { position: nft, ticks });
  // without liquidity the manager does not poke the pool, which then pays from what it already owes
  const byPool =
    nft.liquidity > 0n
      ? owedWithFees(pool, { position: managerPosition, ticks })
      : { owed0: managerPosition.tokensOwed0, owed1: managerPosition.tokensOwed1 };
  return apart(principal, {
    owed0: smaller(
      BigInt.asUintN(128, byManager.owed0 + principal.amount0),
      BigInt.asUintN(128, byPool.owed0 + principal.amount0),
    ),
    owed1: smaller(
      BigInt.asUintN(128, byManager.owed1 + principal.amount1),
      BigInt.asUintN(128, byPool.owed1 + principal.amount1),
    ),
  });
}

/**
 * What a contract returns that adds up by itself what its position is worth: in 256 bits, where a pool that pays all of it at once
 * has 128. KodiakIsland.sol `getUnderlyingBalances`
 */
export function countedAmounts(
  pool: PoolPoint,
  { position, ticks }: { position: PositionPoint; ticks: RangeTicks },
): PositionAmounts {
  const { amount0, amount1 } = principalRoundingDown(pool, position);
  const { owed0, owed1 } = uncutOwed(pool, { position, ticks });
  return { principal0: amount0, principal1: amount1, fees0: owed0, fees1: owed1 };
}

/** `tokensOwed` after a poke at this state. */
function owedWithFees(pool: PoolPoint, range: { position: PositionPoint; ticks: RangeTicks }): Owed {
  const { owed0, owed1 } = uncutOwed(pool, range);
  return { owed0: BigInt.asUintN(128, owed0), owed1: BigInt.asUintN(128, owed1) };
}

function uncutOwed(pool: PoolPoint, { position, ticks }: { position: PositionPoint; ticks: RangeTicks }): Owed {
  const { liquidity, tokensOwed0, tokensOwed1, tickLower, tickUpper } = position;
  if (liquidity === 0n) return { owed0: tokensOwed0, owed1: tokensOwed1 };
  const { lower, upper } = ticks;
  if (lower?.tick !== tickLower || upper?.tick !== tickUpper) throw new RangeTicksError(position, ticks);
  const inside = getFeeGrowthInside(lower, upper, pool);
  const fees0 = uncutFeesRoundingDown(inside.feeGrowth0X128, position.feeGrowthInside0LastX128, liquidity);
  const fees1 = uncutFeesRoundingDown(inside.feeGrowth1X128, position.feeGrowthInside1LastX128, liquidity);
  return { owed0: tokensOwed0 + fees0, owed1: tokensOwed1 + fees1 };
}

/** The sum is what counts; when it falls short of the principal (a clamp, a wrap), so does the principal. */
function apart({ amount0, amount1 }: Amounts, { owed0, owed1 }: Owed): PositionAmounts {
  const principal0 = smaller(amount0, owed0);
  const principal1 = smaller(amount1, owed1);
  return { principal0, principal1, fees0: owed0 - principal0, fees1: owed1 - principal1 };
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** A position with liquidity whose ticks are missing or belong to another range: the rows are not of one block. */
export class RangeTicksError extends Error {
  constructor({ tickLower, tickUpper }: PositionPoint, { lower, upper }: RangeTicks) {
    super(`Range ${tickLower}…${tickUpper} has liquidity, but its ticks are ${lower?.tick} and ${upper?.tick}.`);
    this.name = "RangeTicksError";
  }
}
