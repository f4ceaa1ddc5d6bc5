// What is signed, for any quote, slippage, fee and referral code: from the parameters as sent to the bytes of the call.
import fc from "fast-check";
import { decodeFunctionData, numberToHex } from "viem";
import { expect, it } from "vitest";
import { toDecimalText } from "../../core/aggregator/percent.ts";
import { aggregatorAbi } from "../../gateway/aggregator/aggregator-abi.ts";
import type { Market } from "../../gateway/aggregator/market.ts";
import { bestOf, offersOf } from "../../gateway/aggregator/offers.ts";
import { ownOutcome } from "../../gateway/aggregator/own-offer.ts";
import type { ProviderAnswer } from "../../gateway/aggregator/provider.ts";
import { readQuoteInput } from "../../gateway/aggregator/quote-input.ts";
import { swapCall, termsOf } from "../../gateway/aggregator/swap-call.ts";
import { tryInTurn } from "../../gateway/aggregator/try-in-turn.ts";
import { InvalidInputError } from "../../gateway/errors.ts";
import type { SwapTerms } from "../../gateway/router/swap-transaction.ts";
import { withProviders } from "../support/quote-world.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { A, B, routerChain } from "../support/router-world.ts";

const RUNS = Number(process.env.LIMIT_RUNS ?? 500);
const [AGGREGATOR, RECIPIENT] = [accountOf(70), accountOf(72)] as const;
/** Codes 0 (no fee) and 4 (at most 100 basis points). */
const chain = withProviders(routerChain, AGGREGATOR);
const caps = new Map(chain.referralCodes.map(({ code, maxFeeBps }) => [code, maxFeeBps]));

const requests = fc.record({
  quote: fc.bigInt(1n, 2n ** 200n),
  amount: fc.bigInt(1n, 2n ** 128n),
  /** Millionths of a percent, from 0 to 50 %. */
  slippage: fc.oneof(fc.constantFrom(0n, 1n, 500_000n, 50_000_000n), fc.bigInt(0n, 50_000_000n)),
  code: fc.constantFrom(undefined, 0, 4, 4, 4, 5),
  bps: fc.option(fc.oneof(fc.integer({ min: 0, max: 102 }), fc.integer({ min: 0, max: 20_000 })), { nil: undefined }),
  isNativeOut: fc.boolean(),
});

/** What of code and fee may be asked for. */
function isAllowed(code: number | undefined, bps: number | undefined): boolean {
  if (code === undefined) return bps === undefined;
  const cap = caps.get(code);
  return cap !== undefined && (bps ?? 0) <= cap;
}

const counts = { calls: 0, withFee: 0, refused: 0 };

it("the output is bound by floor((quote − refFee) × (1 − s/100)), taken once, with fees up to the code's cap", () => {
  fc.assert(
    fc.property(requests, ({ quote, amount, slippage, code, bps, isNativeOut }) => {
      const read = () =>
        readQuoteInput(
          {
            ...{
              tokenInAddress: A,
              tokenOutAddress: isNativeOut ? "BERA" : B,
              amount: String(amount),
              type: "exactIn",
            },
            ...{ recipient: RECIPIENT, refCode: code?.toString(), referrerFeeBps: bps?.toString() },
            slippageTolerance: toDecimalText({ numerator: slippage, denominator: 1_000_000n }),
          },
          chain,
        );
      if (!isAllowed(code, bps)) {
        counts.refused += 1;
        expect(read).toThrow(InvalidInputError);
        return;
      }
      const transaction = { to: accountOf(71), data: "0x12345678", value: 0n } as const;
      const answer = { amount: quote, transaction } as unknown as ProviderAnswer;
      const terms = termsOf({ chain }, { input: read(), winner: { amount: quote, answer } });
      const { args } = decodeFunctionData({ abi: aggregatorAbi, data: swapCall(terms!).calldata });
      const [input, output, call, fee] = args;
      expect([input.token.toLowerCase(), input.wrap, input.amount]).toEqual([A, false, amount]);
      expect([output.unwrap, output.receiver.toLowerCase()]).toEqual([isNativeOut, RECIPIENT]);
      expect(call).toEqual({ router: expect.any(String), data: transaction.data });
      expect([fee.feeQuote, fee.refCode, fee.referrerFeeBps, fee.surplusFeeBps]).toEqual([
        quote,
        code ?? 0,
        bps ?? 0,
        0,
      ]);
      const left = (quote - (quote * BigInt(bps ?? 0)) / 10_000n) * (100_000_000n - slippage);
      const minimum = output.minAmountOut * 100_000_000n;
      expect(minimum <= left && left < minimum + 100_000_000n).toBe(true);
      counts.calls += 1;
      counts.withFee += (bps ?? 0) > 0 ? 1 : 0;
    }),
    { numRuns: RUNS },
  );
  console.log(`${counts.calls} calls decoded, ${counts.withFee} with a fee; ${counts.refused} refused`);
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(RUNS / 50);
});

it.each([
  ["what it promised", 10_000n],
  ["less", 9_950n],
])("the minimum in our own router's call is not above the contract's where trying it out paid %s", async (_, paid) => {
  const input = readQuoteInput(
    {
      ...{ tokenInAddress: A, tokenOutAddress: B, amount: "1", type: "exactIn", providers: "kodiak" },
      ...{ recipient: RECIPIENT, slippageTolerance: "1" },
    },
    chain,
  );
  const own = {
    ...{ route: { quote: 10_000n, gasUnits: 1n }, latestTimestamp: 0 },
    transaction: ({ limit }: SwapTerms) => ({ to: accountOf(71), calldata: numberToHex(limit), value: "0x0" }),
  };
  const place = { point: { block: 1 }, gasPriceWei: 1n };
  const market = {
    own,
    place,
    ownMilliseconds: 1,
    wrappingGas: 0,
    gasCost: { perUnit: undefined },
  } as unknown as Market;
  const outcomes = [ownOutcome(chain, { input, market })];
  const { winner } = await tryInTurn(
    { outcomes, offers: offersOf(outcomes, market, chain) },
    {
      ...{ type: "exactIn", ownName: chain.ownRouterName, referrerFeeBps: 0 },
      tryOut: async () => ({ paid }),
      best: (among) => bestOf(among, input, chain),
    },
  );
  const terms = termsOf({ chain }, { input, winner: winner! });
  expect([winner?.amount, terms?.minAmountOut]).toEqual([paid, (paid * 99n) / 100n]);
  expect(BigInt(terms!.inner.data)).toBe(terms?.minAmountOut);
});
