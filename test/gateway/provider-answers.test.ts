// What is read of a provider's answer, field by field: what a quote depends on, and what it does not need.
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProviderRequest } from "../../gateway/aggregator/provider.ts";
import { providers } from "../../gateway/aggregator/registry.ts";
import type { Address } from "../../gateway/parameters.ts";
import { accountOf } from "../support/reference-ledger.ts";

const [SOLD, BOUGHT, OTHER, TAKER] = [1, 2, 3, 4].map(accountOf) as [Address, Address, Address, Address];
const [AMOUNT, PAID] = [1_000n, 2_000n];

const request: ProviderRequest = {
  ...{ chainId: 31337, type: "exactIn", tokenIn: SOLD, tokenOut: BOUGHT, amount: AMOUNT, gasPriceWei: 1n },
  ...{ slippage: { numerator: 1n, denominator: 100n }, deadlineSeconds: 60, taker: TAKER, wantsTransaction: false },
};

/** How each names the swap it answers, the gas it takes, and the native coin it wants. */
interface Said {
  amountIn?: string;
  tokenIn?: unknown;
  tokenOut?: unknown;
  gas?: unknown;
  value?: unknown;
}
const CALL = { to: OTHER, data: "0x12345678" };
const answers: Record<string, (said: Said) => unknown> = {
  OpenOcean: ({ amountIn, tokenIn, tokenOut, gas, value }) => {
    const [inToken, outToken] = [{ address: tokenIn }, { address: tokenOut }];
    const amounts = { inToken, outToken, inAmount: amountIn, outAmount: String(PAID), estimatedGas: gas };
    return { code: 200, data: { ...amounts, ...CALL, value } };
  },
  Fly: ({ gas }) => {
    return { id: "1", amountOut: String(PAID), targetAddress: OTHER, resourceEstimate: { gasLimit: gas } };
  },
  OogaBooga: ({ amountIn, tokenIn, tokenOut, gas, value }) => {
    const tokens = [{ address: tokenOut }, { address: tokenIn }];
    const swap = { tokenFrom: 1, tokenTo: 0, tokens, amountIn, assumedAmountOut: String(PAID), gas };
    return { status: "Success", ...swap, tx: { ...CALL, value }, routerAddr: OTHER };
  },
  Enso: ({ gas, value }) => ({ amountOut: String(PAID), gas, tx: { ...CALL, value } }),
  Kyberswap: ({ amountIn, tokenIn, tokenOut, gas }) => {
    const routeSummary = { tokenIn, amountIn, tokenOut, amountOut: String(PAID), gas };
    return { code: 0, data: { routeSummary, routerAddress: OTHER } };
  },
};
/** Those whose answers repeat the question. */
const repeating = ["OpenOcean", "OogaBooga", "Kyberswap"];

let server: Server;
let body: unknown;
/** By the last part of their path; else `body`. */
let others: Record<string, unknown> = {};
beforeAll(async () => {
  server = createServer(({ url = "" }, response) => {
    response.end(JSON.stringify(others[/\/(\w+)(?:\?|$)/.exec(url)?.[1] ?? ""] ?? body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

function quoted(name: string, said: Said, wantsTransaction = false) {
  body = answers[name]?.({ amountIn: String(AMOUNT), tokenIn: SOLD, tokenOut: BOUGHT, gas: "7", ...said });
  const { port } = server.address() as { port: number };
  const access = { url: `http://127.0.0.1:${port}`, apiKey: "key", signal: AbortSignal.timeout(10_000) };
  return providers.find((provider) => provider.name === name)?.quote({ ...request, wantsTransaction }, access);
}

describe("an answer without gas that can be read", () => {
  it.each(Object.keys(answers))("of %s is a quote nevertheless", async (name) => {
    for (const gas of [7, "7", "0x7"])
      expect(await quoted(name, { gas }), String(gas)).toMatchObject({ amount: PAID, gas: 7n });
    for (const gas of [null, undefined, "", "unknown", -1, 1.5, {}])
      expect(await quoted(name, { gas }), String(gas)).toMatchObject({ amount: PAID, gas: 0n });
  });
});

describe("a transaction that sends no native coin along", () => {
  it.each(Object.keys(answers))("of %s may say so in any way, or not at all", async (name) => {
    for (const value of [undefined, null, 0, "0", "0x", "0x0", "0x00", "7"]) {
      const built = { amountIn: String(AMOUNT), amountOut: String(PAID), routerAddress: OTHER, data: CALL.data };
      others = { build: { code: 0, data: { ...built, transactionValue: value } }, transaction: { ...CALL, value } };
      const expected = value === "7" ? 7n : 0n;
      expect(await quoted(name, { value }, true), String(value)).toMatchObject({
        transaction: { ...CALL, value: expected },
      });
    }
  });
});

describe("a transaction that is built for a route", () => {
  it("pays what it is built for where that is less, and no more than the route said", async () => {
    const data = { amountIn: String(AMOUNT), data: "0x12345678", routerAddress: OTHER };
    for (const [amountOut, amount] of [
      [PAID - 1n, PAID - 1n],
      [PAID + 1n, PAID],
    ]) {
      others = { build: { code: 0, data: { ...data, amountOut: String(amountOut) } } };
      expect(await quoted("Kyberswap", {}, true)).toMatchObject({ amount, transaction: { to: OTHER } });
    }
    others = { build: { code: 0, data: { ...data, amountIn: "1", amountOut: "1" } } };
    await expect(quoted("Kyberswap", {}, true)).rejects.toMatchObject({ message: "quotes another amount than asked" });
  });
});

describe("an answer about another swap", () => {
  it.each(repeating)("of %s is an error, be it another token or amount", async (name) => {
    expect(await quoted(name, { tokenIn: SOLD.toUpperCase().replace("0X", "0x") })).toMatchObject({ amount: PAID });
    for (const said of [{ tokenIn: OTHER }, { tokenOut: OTHER }, { tokenIn: BOUGHT, tokenOut: SOLD }])
      await expect(quoted(name, said)).rejects.toMatchObject({
        kind: "error",
        message: "quotes other tokens than asked",
      });
    for (const amountIn of [AMOUNT - 1n, AMOUNT + 1n])
      await expect(quoted(name, { amountIn: String(amountIn) })).rejects.toMatchObject({
        ...{ kind: "error", message: "quotes another amount than asked" },
      });
  });
});

describe("a refusal", () => {
  it("of hundreds of kilobytes is read at once, so that nothing else waits for it", async () => {
    others = { quote: { code: 400, errorMsg: "not enough ".repeat(20_000) } };
    const started = performance.now();
    await expect(quoted("OpenOcean", {})).rejects.toMatchObject({ kind: "error" });
    expect(performance.now() - started).toBeLessThan(3_000);
    others = { quote: { code: 400, errorMsg: "There is not enough of the pair's LIQUIDITY" } };
    await expect(quoted("OpenOcean", {})).rejects.toMatchObject({ kind: "no_route" });
    others = {};
  });
});
