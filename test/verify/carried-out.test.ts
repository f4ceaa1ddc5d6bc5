// How a quote's transaction is judged when it is carried out: by real contracts, on a copy of their chain.
import { numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { byReserves } from "../../core/router/pool.ts";
import { quoteLegs } from "../../core/router/quote-path.ts";
import { routerQuote } from "../../gateway/questions/router-quote.ts";
import type { RouterQuote } from "../../gateway/router/quote.ts";
import { type ChainCopy, copyChain } from "../../verify/exit/chain-copy.ts";
import { inRequest } from "../../verify/in-request.ts";
import { compareCarriedOut } from "../../verify/quotes/compare-quotes.ts";
import { QuotesReport } from "../../verify/quotes/quotes-report.ts";
import { endow, RECIPIENT } from "../../verify/quotes/swap-trial.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { ONE, StrayWorld, withLateDeadline } from "../support/stray-world.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const AMOUNT = 100_000n * ONE;
const COIN = 7n * ONE;

let world: StrayWorld;
let database: TestDatabase;
let gateway: TestGateway;
let copy: ChainCopy;

beforeAll(async () => {
  [world, database] = await Promise.all([StrayWorld.start([..."ABC"]), startTestDatabase()]);
  for (const pair of [
    ["A", "B"],
    ["A", "C"],
    ["C", "B"],
    ["wrapped", "B"],
    ["rebasing", "B"],
  ] as const)
    await world.addLiquidity(pair, [900_000n, 900_000n]);
  await world.chain.seal();
  await world.give("A", await world.pair("A", "B"), 3_000n);
  await world.give("B", world.router, 50n);
  // its ledger is not followed from here on
  const lost = await world.pair("rebasing", "B");
  await world.send(world.token("rebasing"), "rebase", [1n, 2n]);
  await world.send(lost, "sync", []);
  await world.give("rebasing", lost, 1_000n);
  const { number: block } = await world.chain.seal();
  await world.chain.rpc("anvil_setBalance", [world.router, numberToHex(COIN)]);
  const chain = world.chainFile();
  const index = { ponderSchema: "facts_carried", foldSchema: "fold_carried", finalized: block - 1, chain };
  await buildScripted(database.sql, await world.facts(), index);
  gateway = openGateway(database.url, chain);
  copy = await copyChain({ rpcUrl: world.rpcUrl, block });
  const given = { holder: world.trader, amount: 200_000n * ONE, routers: [world.router] };
  await endow(copy, { ...given, token: world.token("A") });
  await endow(copy, { ...given, token: world.token("rebasing") });
  await endow(copy, { ...given, token: world.wrapped, amount: 10n * ONE });
});
afterAll(async () => {
  await copy?.stop();
  await gateway?.close();
  await database?.stop();
  await world?.stop();
});

async function quoteOf(tokenIn: string, tokenOut: string, amount: bigint): Promise<RouterQuote> {
  const request = {
    ...{
      tokenInAddress: world.token(tokenIn),
      tokenOutAddress: world.token(tokenOut),
      amount,
      type: "exactIn" as const,
    },
    ...{ recipient: RECIPIENT, slippageTolerance: "1", deadline: 1_800 },
  };
  const input = { request, block: { kind: "latest" } as const };
  const quote = await inRequest(gateway.service, (scope) => scope.run(routerQuote, input, undefined));
  if (!quote.transaction) throw new Error("no transaction");
  return { ...quote, transaction: withLateDeadline(quote.transaction) };
}

async function judged(quote: RouterQuote): Promise<{ counts: string[]; differing: number }> {
  const report = new QuotesReport();
  await compareCarriedOut(copy, quote, report);
  return { counts: [...report.counts.keys()], differing: report.differing };
}

describe("a quote that is carried out", () => {
  it("is right with what lies in its pairs, and with what it says to lie in the router", async () => {
    const quote = await quoteOf("A", "B", AMOUNT);
    expect([quote.legs.length, quote.sweptFromRouter]).toEqual([2, 50n * ONE]);
    expect(await judged(quote)).toEqual({ counts: ["carried out: split exactIn"], differing: 0 });
  });

  it("is right where the coin in the router pays for the trader, and that is said", async () => {
    const counts = ["carried out: one v2 leg exactIn, more by what lay in the router"];
    expect(await judged(await quoteOf("wrapped", "B", ONE))).toEqual({ counts, differing: 0 });
    const dear = await judged(await quoteOf("wrapped", "B", COIN + 1n));
    expect(dear).toEqual({ counts: ["carried out: one v2 leg exactIn"], differing: 0 });
  });

  it("is right where more lay in a pair than events show, and that is said", async () => {
    const quote = await quoteOf("rebasing", "B", ONE);
    const counts = ["carried out: one v2 leg exactIn, more by what lay in a pair, unknown"];
    expect(await judged(quote)).toEqual({ counts, differing: 0 });
    expect((await judged({ ...quote, quote: quote.quote + 2_000n * ONE })).differing).toBe(1);
  });

  it("is wrong by a wei, whichever way, and lying tokens excuse nothing", async () => {
    for (const [tokenIn, amount] of [
      ["A", AMOUNT],
      ["wrapped", ONE],
    ] as const) {
      const quote = await quoteOf(tokenIn, "B", amount);
      for (const wei of [1n, -1n])
        expect((await judged({ ...quote, quote: quote.quote + wei })).differing, `${tokenIn} ${wei}`).toBe(1);
    }
  });

  it("is wrong where it does not say what lies in a pair", async () => {
    const quote = await quoteOf("A", "B", AMOUNT);
    const paths = quote.legs.map(({ hops, amountIn: amount }) => {
      return { path: hops.map(({ pool, tokenIn }) => ({ pool: byReserves(pool), tokenIn })), amount };
    });
    const blind = quoteLegs(paths, "exactIn")?.reduce((sum, { amountOut }) => sum + amountOut, 0n) ?? 0n;
    expect(quote.quote - blind).toBeGreaterThan(2_000n * ONE);
    expect((await judged({ ...quote, quote: blind })).differing).toBe(1);
  });
});
