// What the search reckons with, in doubles: what legs pay that pass the same pools one after the other.
import { describe, expect, it } from "vitest";
import { findRoute } from "../../core/router/find-route.ts";
import { Flow } from "../../core/router/flow.ts";
import { buildGraph } from "../../core/router/graph.ts";
import type { V2Pool } from "../../core/router/pool.ts";
import { quoteLegs } from "../../core/router/quote-path.ts";
import { StepBudget } from "../../core/router/step-budget.ts";

const ONE = 10n ** 18n;

const pair = (address: string, [token0, token1]: readonly [string, string], reserve: number): V2Pool => {
  const amount = BigInt(reserve) * ONE;
  return { kind: "v2", address, token0, token1, fee: 3000, reserve0: amount, reserve1: amount };
};

describe("a pair that several legs pass", () => {
  const pool = { ...pair("0x1", ["0xa", "0xb"], 1), unsynced0: ONE / 50n };
  const amounts = { exactIn: [3n * ONE, ONE, ONE / 10n], exactOut: [ONE / 2n, ONE / 3n, ONE / 10n] };

  it.each(["exactIn", "exactOut"] as const)("keeps the fee of each for the next, as the contract does (%s)", (type) => {
    const synced = type === "exactIn" ? pool : { ...pool, unsynced0: 0n };
    const graph = buildGraph([synced]);
    const flow = new Flow({ graph, isForward: type === "exactIn", budget: new StepBudget(100) });
    const path = [{ pool: synced, tokenIn: "0xa" }];
    const legs = quoteLegs(
      amounts[type].map((amount) => ({ path, amount })),
      type,
    );
    const pushed = amounts[type].map((amount) => flow.push(0, Number(amount)));
    const paid = (legs ?? []).map((leg) => Number(type === "exactIn" ? leg.amountOut : leg.amountIn));
    expect(pushed.map((amount, i) => amount / (paid[i] as number))).toEqual(paid.map(() => expect.closeTo(1, 9)));
  });

  it("has no more than its reserves, whatever was bought before", () => {
    const flow = new Flow({ graph: buildGraph([pool]), isForward: false, budget: new StepBudget(100) });
    expect(flow.push(0, Number(ONE) * 0.9)).toBeGreaterThan(0);
    expect(flow.push(0, Number(ONE) * 0.2)).toBe(-1);
  });
});

describe("legs in thin markets", () => {
  const pools = [
    pair("0x1", ["0xb", "0xs"], 45),
    pair("0x2", ["0xu", "0xw"], 322),
    pair("0x3", ["0xb", "0xu"], 20),
    pair("0x4", ["0xt", "0xu"], 160),
    pair("0x5", ["0xt", "0xw"], 73),
    pair("0x6", ["0xb", "0xt"], 12),
  ];
  const steps = (...path: [number, string][]) => path.map(([n, tokenIn]) => ({ pool: pools[n] as V2Pool, tokenIn }));

  it("take the ways that pay once all amounts are evened out", () => {
    const amount = 200n * ONE;
    const gas = { quotePerUnit: { numerator: ONE / 10n, denominator: 1_000_000n } };
    const route = findRoute(buildGraph(pools), { tokenIn: "0xs", tokenOut: "0xt", amount, type: "exactIn", gas });
    const known = quoteLegs(
      [
        { path: steps([0, "0xs"], [2, "0xb"], [3, "0xu"]), amount: (amount * 878n) / 10_000n },
        { path: steps([0, "0xs"], [2, "0xb"], [1, "0xu"], [4, "0xw"]), amount: (amount * 1_310n) / 10_000n },
        { path: steps([0, "0xs"], [5, "0xb"]), amount: (amount * 7_812n) / 10_000n },
      ],
      "exactIn",
    );
    const gross = Number((known ?? []).reduce((sum, { amountOut }) => sum + amountOut, 0n));
    const units = 3 * 135_000 + 6 * 50_000;
    expect(Number(route?.quoteGasAdjusted)).toBeGreaterThan((gross - units * 1e11) * 0.9999);
  });
});
