// The aggregator's arithmetic: limits once and rounded against nobody, ranking, plausibility, price impact.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  amountInMaximumRoundingUp,
  minAmountOutRoundingDown,
  refFeeRoundingDown,
} from "../../core/aggregator/limits.ts";
import { decimalFraction, percentFraction, toBpsRoundingUp, toDecimalText } from "../../core/aggregator/percent.ts";
import { amountAtRate, isTooGood } from "../../core/aggregator/plausibility.ts";
import { priceImpactRoundingToZero } from "../../core/aggregator/price-impact.ts";
import { chooseOffer, isWorse, netAmount, type OfferTerms, rankOffers } from "../../core/aggregator/ranking.ts";

const amounts = fc.bigInt({ min: 0n, max: 2n ** 200n });
const feeBps = fc.integer({ min: 0, max: 10_000 });
/** 0 to 50 % in steps of a millionth of a percent, as text. */
const percents = fc.integer({ min: 0, max: 50_000_000 }).map((n) => ({
  text: toDecimalText({ numerator: BigInt(n), denominator: 1_000_000n }),
  millionths: BigInt(n),
}));

describe("limits", () => {
  it("minAmountOut is floor((quote − refFee) × (1 − s/100)), taken once", () => {
    fc.assert(
      fc.property(amounts, feeBps, percents, (quote, bps, { text, millionths }) => {
        const refFee = refFeeRoundingDown(quote, bps);
        expect(refFee).toBe((quote * BigInt(bps)) / 10_000n);
        const minimum = minAmountOutRoundingDown({ quote, refFee, slippage: percentFraction(text) });
        const exact = (quote - refFee) * (100_000_000n - millionths);
        expect(minimum * 100_000_000n <= exact && exact < (minimum + 1n) * 100_000_000n).toBe(true);
      }),
    );
  });

  it("the largest input is ceil(quote × (1 + s/100))", () => {
    fc.assert(
      fc.property(amounts, percents, (quote, { text, millionths }) => {
        const most = amountInMaximumRoundingUp({ quote, slippage: percentFraction(text) });
        const exact = quote * (100_000_000n + millionths);
        expect(most * 100_000_000n >= exact && exact > (most - 1n) * 100_000_000n).toBe(true);
      }),
    );
  });

  it("the inner minimum of a provider never binds before the aggregator contract's", () => {
    fc.assert(
      fc.property(amounts, feeBps, percents, (quote, bps, { text }) => {
        const slippage = percentFraction(text);
        const refFee = refFeeRoundingDown(quote, bps);
        const outer = minAmountOutRoundingDown({ quote, refFee, slippage }) + refFee;
        expect(minAmountOutRoundingDown({ quote, refFee: 0n, slippage }) <= outer).toBe(true);
        expect(BigInt(toBpsRoundingUp(slippage)) * slippage.denominator >= slippage.numerator * 10_000n).toBe(true);
      }),
    );
  });

  it("percent as text is exact both ways", () => {
    expect(["0", "1", "0.5", "33.3333", "50"].map((text) => toDecimalText(percentFraction(text)))).toEqual([
      ...["0", "0.01", "0.005", "0.333333", "0.5"],
    ]);
    expect(toBpsRoundingUp(percentFraction("0.001"))).toBe(1);
  });
});

const offer = (name: string, fields: Partial<OfferTerms> = {}): OfferTerms => ({
  ...{ name, amount: 1_000n, gasCost: 0n, weight: decimalFraction("1"), priority: 0 },
  ...fields,
});

describe("ranking", () => {
  const names = (offers: OfferTerms[], type: "exactIn" | "exactOut") =>
    rankOffers(offers, type).map(({ name }) => name);

  it("counts gas against the output, and for it with the input", () => {
    const dear = offer("dear", { amount: 1_010n, gasCost: 20n });
    expect(names([dear, offer("plain")], "exactIn")).toEqual(["plain", "dear"]);
    expect(names([offer("less", { amount: 990n, gasCost: 20n }), offer("plain")], "exactOut")).toEqual([
      "plain",
      "less",
    ]);
  });

  it("prefers by weight, then by priority, then by name", () => {
    const heavy = offer("heavy", { amount: 995n, weight: decimalFraction("1.01") });
    expect(names([offer("plain"), heavy], "exactIn")).toEqual(["heavy", "plain"]);
    expect(names([offer("plain"), { ...heavy, amount: 1_005n }], "exactOut")).toEqual(["heavy", "plain"]);
    expect(names([offer("b", { priority: 1 }), offer("c"), offer("a")], "exactIn")).toEqual(["a", "c", "b"]);
  });

  it("never leaves anybody worse off than the own router, whatever the weights", () => {
    const anOffer = fc.record({
      amount: fc.bigInt({ min: 1n, max: 10_000n }),
      gasCost: fc.bigInt({ min: 0n, max: 3_000n }),
      weight: fc.integer({ min: 1, max: 300 }).map((n) => ({ numerator: BigInt(n), denominator: 100n })),
      priority: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(
        fc.array(anOffer, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("exactIn", "exactOut"),
        (list, type) => {
          const offers = list.map((fields, place) => offer(place === 0 ? "own" : `p${place}`, fields));
          const chosen = chooseOffer(offers, { type, ownName: "own" });
          expect(chosen && offers[0] && isWorse(chosen, offers[0], type)).toBe(false);
          const [first] = rankOffers(offers, type);
          if (first && offers[0] && !isWorse(first, offers[0], type)) expect(chosen).toEqual(first);
          expect(chooseOffer([...offers].reverse(), { type, ownName: "own" })).toEqual(chosen);
        },
      ),
    );
    expect(chooseOffer([], { type: "exactIn", ownName: "own" })).toBeUndefined();
    expect(netAmount(offer("x", { gasCost: 2_000n }), "exactIn")).toBe(-1_000n);
  });
});

describe("plausibility", () => {
  const rate = { numerator: 2n, denominator: 1n };
  const twenty = percentFraction("20");

  it("refuses what is better than every known price by more than is allowed", () => {
    const offered = (amount: bigint) => ({ fixed: 1_000n, amount, type: "exactIn" as const });
    expect(isTooGood(offered(2_400n), [rate], twenty)).toBe(false);
    expect(isTooGood(offered(2_401n), [rate], twenty)).toBe(true);
    expect(isTooGood(offered(2_401n), [rate, { numerator: 3n, denominator: 1n }], twenty)).toBe(false);
    expect(isTooGood(offered(10n ** 30n), [], twenty)).toBe(false);
  });

  it("does so for a fixed output too", () => {
    const offered = (amount: bigint) => ({ fixed: 2_400n, amount, type: "exactOut" as const });
    expect(amountAtRate(2_401n, rate, "exactOut")).toBe(1_201n);
    expect(isTooGood(offered(1_000n), [rate], twenty)).toBe(false);
    expect(isTooGood(offered(999n), [rate], twenty)).toBe(true);
  });
});

describe("price impact", () => {
  const none = { numerator: 1n, denominator: 1n };
  const impact = (amountIn: bigint, amountOut: bigint, remainingAfterFees = none) =>
    priceImpactRoundingToZero({
      amountIn,
      amountOut,
      mid: { numerator: 1n, denominator: 2n },
      remainingAfterFees,
    });

  it("is negative when adverse, zero for what fees alone take, and says so in digits", () => {
    expect(impact(2_000n, 990n)).toBe("-0.01");
    expect(impact(2_000n, 1_000n)).toBe("0");
    expect(impact(2_000n, 997n, { numerator: 997n, denominator: 1_000n })).toBe("0");
    expect(impact(2_000n, 1_010n)).toBe("0.01");
    expect(impact(3n * 10n ** 18n, 10n ** 18n)).toBe("-0.333333333333");
    expect(impact(2n * 10n ** 18n, 10n ** 18n - 1n)).toBe("0");
  });
});
