// What a swap can pay at all: bounds that follow from a price.
import type { Fraction } from "../lookthrough/fraction.ts";
import type { TradeType } from "../router/request.ts";

/** Output raw units for one input raw unit, with no fee and no impact. */
type Rate = Fraction;

/** What the fixed amount is worth on the other side at `rate`: the output rounded down, or the input rounded up. */
export function amountAtRate(amount: bigint, rate: Rate, type: TradeType): bigint {
  const { numerator, denominator } = rate;
  if (type === "exactIn") return (amount * numerator) / denominator;
  return (amount * denominator + numerator - 1n) / numerator;
}

/**
 * Better than every known rate by more than `allowance`: no swap pays that much. Without a known rate nothing is too good.
 */
export function isTooGood(
  offered: { fixed: bigint; amount: bigint; type: TradeType },
  rates: readonly Rate[],
  allowance: Fraction,
): boolean {
  const { fixed, amount, type } = offered;
  const { numerator, denominator } = allowance;
  return (
    rates.length > 0 &&
    rates.every((rate) => {
      const fair = amountAtRate(fixed, rate, type);
      return type === "exactIn"
        ? amount * denominator > fair * (denominator + numerator)
        : amount * (denominator + numerator) < fair * denominator;
    })
  );
}
