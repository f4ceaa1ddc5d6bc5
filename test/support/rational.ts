// Exact fractions, for references that round nothing.

export interface Rational {
  n: bigint;
  /** Above zero. */
  d: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
};

const SHORT = 1n << 300n;

export const ratio = (n: bigint, d = 1n): Rational => {
  // of long numbers it costs more than it saves
  const common = d === 1n || d >= SHORT ? 1n : gcd(n, d);
  return common <= 1n ? { n, d } : { n: n / common, d: d / common };
};
export const NONE: Rational = ratio(0n);
export const plus = (a: Rational, b: Rational): Rational =>
  a.d === b.d ? ratio(a.n + b.n, a.d) : ratio(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Rational, b: Rational): Rational => plus(a, { n: -b.n, d: b.d });
export const by = (a: Rational, b: Rational): Rational => ratio(a.n * b.n, a.d * b.d);
export const over = (a: Rational, b: Rational): Rational => ratio(a.n * b.d, a.d * b.n);
export const isLess = (a: Rational, b: Rational): boolean => a.n * b.d < b.n * a.d;
export const floorOf = ({ n, d }: Rational): bigint => (n >= 0n ? n / d : -((-n + d - 1n) / d));
export const sumUp = (all: readonly Rational[]): Rational => all.reduce(plus, NONE);
export const least = (a: Rational, b: Rational): Rational => (isLess(a, b) ? a : b);
export const most = (a: Rational, b: Rational): Rational => (isLess(a, b) ? b : a);
