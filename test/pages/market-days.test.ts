// A market's days as its page shows them, of trades that are given here.
import { expect, it } from "vitest";
import { marketDays } from "../../gateway/pages/market-days.ts";
import { pointsBefore } from "../../gateway/questions/series.ts";
import { tokenPricesThen } from "../../gateway/questions/token-details.ts";

const DAY = 86_400;
const [KNOWN, UNPRICED] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
const E18 = 10n ** 18n;
const A_DOLLAR = { strategy: "fixed", usd: 10n ** 36n, path: [] };

/** One day with trades in which these amounts of both tokens came in. */
async function feesOf(in0: bigint, in1: bigint): Promise<bigint | undefined> {
  const sums = new Map([[DAY, { trades: 1, in0: `${in0}`, in1: `${in1}`, volume0: `${E18}`, volume1: `${E18}` }]]);
  const series = { range: { width: DAY, first: DAY, last: DAY }, sums, closes: new Map() };
  const answers = new Map<unknown, unknown>([
    [pointsBefore, [{ block: 7 }]],
    [tokenPricesThen, [A_DOLLAR, undefined]],
  ]);
  const ask = async (operation: unknown) => answers.get(operation) ?? [series];
  const tokens = new Map([KNOWN, UNPRICED].map((token) => [token, { token: { metadata: { decimals: 18 } } }]));
  const market = { address: "0x", protocol: "v2", token0: KNOWN, token1: UNPRICED, fee: 3_000 };
  const days = await marketDays({ ask } as never, { at: { block: 7, timestamp: DAY + 9 }, market, tokens } as never);
  return days[0]?.feesUsd;
}

it("a day shows what fees were worth where all of them were taken in the token that has a price", async () => {
  expect(await feesOf(1_000n * E18, 0n)).toBe(3n * 10n ** 36n);
});

it("a day shows no worth of fees where some were taken in a token without a price", async () => {
  expect(await feesOf(1_000n * E18, E18)).toBeUndefined();
});
