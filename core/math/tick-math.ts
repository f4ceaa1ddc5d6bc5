// Square-root prices of ticks and back.
// v3-core contracts/libraries/TickMath.sol
import { MAX_UINT256 } from "./fixed-point.ts";
import { MathError } from "./math-error.ts";

/** log base 1.0001 of 2^-128, the lowest tick. */
export const MIN_TICK = -887272;
export const MAX_TICK = -MIN_TICK;
/** `getSqrtRatioAtTick(MIN_TICK)`; a pool's price never falls below it. */
export const MIN_SQRT_RATIO = 4295128739n;
/** `getSqrtRatioAtTick(MAX_TICK)`; a pool's price is always below it. */
export const MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342n;

/** √1.0001^-(2^i) as Q128.128, for bit i of |tick|. */
const RATIO_OF_BIT: readonly bigint[] = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

const LOW_BITS = 10;

/** What the contract's loop has after the low bits of |tick|: half of its multiplications are made here, once. */
const RATIO_OF_LOW_BITS: readonly bigint[] = RATIO_OF_BIT.slice(0, LOW_BITS).reduce(
  (ratios, ratioOfBit) => ratios.concat(ratios.map((ratio) => (ratio * ratioOfBit) >> 128n)),
  [1n << 128n],
);

/**
 * √(1.0001^tick) × 2^96, rounded up in the last place. `tick` is an integer.
 * Throws {@link TickOutOfBoundsError} outside MIN_TICK…MAX_TICK.
 */
export function getSqrtRatioAtTick(tick: number): bigint {
  const absTick = Math.abs(tick);
  if (!(absTick <= MAX_TICK)) throw new TickOutOfBoundsError(tick);
  let ratio = RATIO_OF_LOW_BITS[absTick & (2 ** LOW_BITS - 1)] ?? 0n;
  for (let bit = LOW_BITS, rest = absTick >> LOW_BITS; rest !== 0; bit += 1, rest >>= 1) {
    if ((rest & 1) !== 0) ratio = (ratio * (RATIO_OF_BIT[bit] ?? 0n)) >> 128n;
  }
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  // Q128.128 to Q64.96, rounding up, so that getTickAtSqrtRatio of the result is the tick again.
  return (ratio & 0xffffffffn) === 0n ? ratio >> 32n : (ratio >> 32n) + 1n;
}

/**
 * The greatest tick whose square-root price is at most `sqrtPriceX96`.
 * Throws {@link SqrtRatioOutOfBoundsError} outside MIN_SQRT_RATIO (inclusive) … MAX_SQRT_RATIO (exclusive).
 */
export function getTickAtSqrtRatio(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_RATIO || sqrtPriceX96 >= MAX_SQRT_RATIO) {
    throw new SqrtRatioOutOfBoundsError(sqrtPriceX96);
  }
  const ratio = sqrtPriceX96 << 32n;
  const msb = BigInt(ratio.toString(2).length - 1);
  let r = msb >= 128n ? ratio >> (msb - 127n) : ratio << (127n - msb);
  let log2 = (msb - 128n) << 64n;
  for (let bit = 63n; bit >= 50n; bit -= 1n) {
    r = (r * r) >> 127n;
    const carry = r >> 128n;
    log2 |= carry << bit;
    r >>= carry;
  }
  const logSqrt10001 = log2 * 255738958999603826347141n;
  const tickLow = Number((logSqrt10001 - 3402992956809132418596140100660247210n) >> 128n);
  const tickHigh = Number((logSqrt10001 + 291339464771989622907027621153398088495n) >> 128n);
  if (tickLow === tickHigh) return tickLow;
  return getSqrtRatioAtTick(tickHigh) <= sqrtPriceX96 ? tickHigh : tickLow;
}

/** Reverts with `T`. */
export class TickOutOfBoundsError extends MathError {
  constructor(tick: number) {
    super("T", `Tick ${tick} is outside ${MIN_TICK}…${MAX_TICK}.`);
  }
}

/** Reverts with `R`. */
export class SqrtRatioOutOfBoundsError extends MathError {
  constructor(sqrtPriceX96: bigint) {
    super("R", `Square-root price ${sqrtPriceX96} is outside ${MIN_SQRT_RATIO}…${MAX_SQRT_RATIO} (exclusive).`);
  }
}
