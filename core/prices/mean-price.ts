// What a pool's price was on average over a span of time, and how much of each token stood behind it. A block's state
// counts for the time until the next block: whatever is done and undone within one block counts for nothing.
import type { Fraction } from "../lookthrough/fraction.ts";

/** A pool's state from `since` (Unix seconds) on. */
export interface PoolMoment {
  since: number;
  /** Raw token1 per raw token0, above zero; undefined while there is none. */
  price: Fraction | undefined;
  /** Raw units that stand behind the price; see {@link PricingPool}. */
  depth0: bigint;
  depth1: bigint;
}

/** A pool's history: in order of time, the first moment being the one that held at the beginning of the span, if any. */
export interface PricingPool {
  address: string;
  token0: string;
  token1: string;
  moments: readonly PoolMoment[];
}

/** Seconds, end exclusive. */
export interface Span {
  from: number;
  to: number;
}

export interface PoolMean {
  address: string;
  token0: string;
  token1: string;
  /** Geometric mean over the span, or over the pool's life where that is shorter. */
  price: Fraction;
  /** Arithmetic means over the whole span: a pool counts for nothing before it has a price. */
  depth0: bigint;
  depth1: bigint;
  /** The same over the pool's life within the span. */
  lifeDepth0: bigint;
  lifeDepth1: bigint;
}

interface Weighted {
  moment: PoolMoment;
  seconds: number;
}

/**
 * Undefined for a pool that never had a price. A time without a price counts with the last price before it. A pool that was made in
 * this very block, whose life has no length yet, has the price and depth with which it ends the block.
 */
export function meanOf({ address, token0, token1, moments }: PricingPool, span: Span): PoolMean | undefined {
  const priced = moments.slice(moments.findIndex(({ price }) => price !== undefined));
  const last = priced.findLast(({ price }) => price !== undefined);
  if (!last?.price) return undefined;
  const weighted = weigh(priced, span);
  const life = weighted.reduce((sum, { seconds }) => sum + seconds, 0);
  const pool = { address, token0, token1, price: geometricMean(last.price, weighted) };
  const ended = priced.at(-1) ?? last;
  const total0 = weighted.reduce((sum, { moment, seconds }) => sum + moment.depth0 * BigInt(seconds), 0n);
  const total1 = weighted.reduce((sum, { moment, seconds }) => sum + moment.depth1 * BigInt(seconds), 0n);
  const whole = BigInt(Math.max(span.to - span.from, 1));
  const lived = BigInt(life);
  return {
    ...pool,
    depth0: total0 / whole,
    depth1: total1 / whole,
    lifeDepth0: life === 0 ? ended.depth0 : total0 / lived,
    lifeDepth1: life === 0 ? ended.depth1 : total1 / lived,
  };
}

/** How long each moment lasted within the span. */
const weigh = (moments: readonly PoolMoment[], { from, to }: Span): Weighted[] =>
  moments.map((moment, i) => {
    const begin = Math.max(moment.since, from);
    const end = Math.min(moments[i + 1]?.since ?? to, to);
    return { moment, seconds: Math.max(end - begin, 0) };
  });

/**
 * last × e^(mean of ln(price ÷ last)), `last` being the last price that lasted: exactly that where the price never moved,
 * and right to some 14 digits otherwise.
 */
function geometricMean(ended: Fraction, weighted: readonly Weighted[]): Fraction {
  const lasting = pricesThatLast(weighted);
  const last = lasting.at(-1)?.price ?? ended;
  let seconds = 0;
  let logarithms = 0;
  for (const one of lasting) {
    seconds += one.seconds;
    logarithms += one.seconds * Math.log(ratioOf(one.price, last));
  }
  return logarithms === 0 ? last : timesPowerOfE(last, logarithms / seconds);
}

function pricesThatLast(weighted: readonly Weighted[]): { price: Fraction; seconds: number }[] {
  let price: Fraction | undefined;
  return weighted.flatMap(({ moment, seconds }) => {
    price = moment.price ?? price;
    return price && seconds > 0 ? [{ price, seconds }] : [];
  });
}

/** Beyond any quotient of two prices: those of 112-bit reserves lie within 2^448. */
const RATIO_BITS = 512n;

const ratioOf = (price: Fraction, last: Fraction): number =>
  Number(((price.numerator * last.denominator) << RATIO_BITS) / (price.denominator * last.numerator)) /
  2 ** Number(RATIO_BITS);

/** Bits of a double's mantissa. */
const MANTISSA_BITS = 52;

function timesPowerOfE({ numerator, denominator }: Fraction, exponent: number): Fraction {
  const bits = exponent / Math.LN2;
  const whole = Math.floor(bits);
  const mantissa = BigInt(Math.round(2 ** (bits - whole) * 2 ** MANTISSA_BITS));
  const shift = whole - MANTISSA_BITS;
  return shift >= 0
    ? { numerator: (numerator * mantissa) << BigInt(shift), denominator }
    : { numerator: numerator * mantissa, denominator: denominator << BigInt(-shift) };
}
