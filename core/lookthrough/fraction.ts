// Exact parts of a whole. Nothing is rounded until an amount is handed to somebody.

export interface Fraction {
  numerator: bigint;
  /** Above zero. */
  denominator: bigint;
}

export const ONE: Fraction = { numerator: 1n, denominator: 1n };

export const times = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

/** floor(fraction × amount), for amounts from zero up. */
export const timesRoundingDown = ({ numerator, denominator }: Fraction, amount: bigint): bigint =>
  denominator === 1n ? numerator * amount : (numerator * amount) / denominator;
