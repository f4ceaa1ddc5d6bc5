// What a swap must at least pay, or may at most take. Every limit of the aggregator is worked out here, once.
import type { Fraction } from "../lookthrough/fraction.ts";

/** floor(quote × referrerFeeBps / 10,000), as the aggregator contract takes it from the quoted output. */
export const refFeeRoundingDown = (quote: bigint, referrerFeeBps: number): bigint =>
  (quote * BigInt(referrerFeeBps)) / 10_000n;

/** floor((quote − refFee) × (1 − slippage)): what the receiver gets at least. `slippage` is from 0 to 1. */
export const minAmountOutRoundingDown = (terms: { quote: bigint; refFee: bigint; slippage: Fraction }): bigint => {
  const { numerator, denominator } = terms.slippage;
  return ((terms.quote - terms.refFee) * (denominator - numerator)) / denominator;
};

/** ceil(quote × (1 + slippage)): what a swap for a fixed output takes at most. */
export const amountInMaximumRoundingUp = (terms: { quote: bigint; slippage: Fraction }): bigint => {
  const { numerator, denominator } = terms.slippage;
  return (terms.quote * (denominator + numerator) + denominator - 1n) / denominator;
};
