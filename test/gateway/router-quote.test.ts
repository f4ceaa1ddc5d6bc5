// GET /router/quote and its GraphQL twins over a small world: shapes, refusals, blocks, and what is left out.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { legGasUnits } from "../../core/router/gas.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import { ZERO } from "../support/reference-ledger.ts";
import { callsOf, outOfPair, paidBy, type Query, routerQuery } from "../support/router-questions.ts";
import {
  A,
  ALICE,
  B,
  BLOCKS,
  C,
  D,
  filledPool,
  MOVE,
  PAIR_AB,
  POOL_AD,
  POOL_WA,
  RESERVE,
  ROUTER,
  routerChain,
  TAXED,
  TAXED_IN_V3,
  tellRouterWorld,
  WRAPPED,
} from "../support/router-world.ts";
import { buildScripted, followScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const index = { ponderSchema: "facts_router", foldSchema: "fold_router", finalized: 1, chain: routerChain };
const AMOUNT = 10n ** 21n;
const NOBODY_ELSE = "0xaa000000000000000000000000000000000000ff";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, tellRouterWorld(), index);
  for (const [symbol, token] of Object.entries({ W: WRAPPED, A, B }))
    await database.sql`update fold_router.token set symbol = ${symbol} where address = ${Buffer.from(token.slice(2), "hex")}`;
  gateway = openGateway(database.url, routerChain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const quote = (query: Query = {}) =>
  gateway.get(
    `/router/quote?${routerQuery({ tokenInAddress: WRAPPED, tokenOutAddress: A, amount: AMOUNT, ...query })}`,
  );
const errorOf = (body: Record<string, unknown>) =>
  body.error as { code: string; message: string; details: { parameter: string } };

describe("a quote", () => {
  it("has every field of the interface, in strings", async () => {
    const { status, body, headers } = await quote({ blockNumber: BLOCKS.wa });
    expect(status).toBe(200);
    const paid = paidBy(filledPool(POOL_WA), AMOUNT);
    const gas = legGasUnits(["v3"], 0);
    expect(body).toMatchObject({
      blockNumber: "2",
      amount: "1000000000000000000000",
      amountDecimals: "1000",
      quote: String(paid),
      gasUseEstimate: String(gas),
      gasPriceWei: "1000000000",
      gasUseEstimateUSD: null,
      routeString: `[V3] 100.00% = W -- 0.3% [${POOL_WA}] --> A`,
      route: [
        [
          {
            type: "v3-pool",
            address: POOL_WA,
            tokenIn: { chainId: 31337, decimals: "18", address: WRAPPED, symbol: "W" },
            tokenOut: { chainId: 31337, decimals: "18", address: A, symbol: "A" },
            fee: "3000",
            liquidity: "1500000000000000000000000",
            sqrtRatioX96: String(2n ** 96n),
            tickCurrent: "0",
            amountIn: "1000000000000000000000",
            amountOut: String(paid),
          },
        ],
      ],
    });
    expect(Object.keys(body)).toEqual([
      ...["blockNumber", "amount", "amountDecimals", "quote", "quoteDecimals", "quoteGasAdjusted"],
      ...["quoteGasAdjustedDecimals", "gasUseEstimateQuote", "gasUseEstimateQuoteDecimals", "gasUseEstimate"],
      ...["gasUseEstimateUSD", "gasPriceWei", "priceImpact", "route", "routeString", "quoteId"],
    ]);
    expect(BigInt(body.quote as string) - BigInt(body.gasUseEstimateQuote as string)).toBe(
      BigInt(body.quoteGasAdjusted as string),
    );
    expect(body.gasUseEstimateQuote).not.toBe("0");
    // the pool's price is 1, its fee 0.3 %: what is missing beyond that is the impact
    const left = Number(paid) / (Number(AMOUNT) * 0.997) - 1;
    expect(left).toBeLessThan(-0.0001);
    expect(Number(body.priceImpact)).toBeCloseTo(left, 11);
    expect(body.quoteId).toMatch(/^[0-9a-f]{32}$/);
    expect(headers.get("x-block-number")).toBe("2");
    expect((await quote({ blockNumber: BLOCKS.wa })).body).toEqual(body);
  });

  it("shows pairs with their reserves, amounts at both ends of a path only", async () => {
    const { body } = await quote({ tokenOutAddress: B, blockNumber: BLOCKS.ab });
    const [between, paid] = [paidBy(filledPool(POOL_WA), AMOUNT), outOfPair(paidBy(filledPool(POOL_WA), AMOUNT))];
    expect(body.quote).toBe(String(paid));
    expect(between).toBeGreaterThan(paid);
    expect(body.routeString).toBe(`[V2 + V3] 100.00% = W -- 0.3% [${POOL_WA}] --> A -- 0.3% [${PAIR_AB}] --> B`);
    const [[first, second]] = body.route as [[Record<string, unknown>, Record<string, unknown>]];
    expect(first).toMatchObject({ type: "v3-pool", amountIn: String(AMOUNT) });
    expect(first).not.toHaveProperty("amountOut");
    const token = (address: string, symbol: string) => ({ chainId: 31337, decimals: "18", address, symbol });
    expect(second).toEqual({
      ...{ type: "v2-pool", address: PAIR_AB, tokenIn: token(A, "A"), tokenOut: token(B, "B"), fee: "3000" },
      reserve0: { token: token(A, "A"), quotient: String(RESERVE) },
      reserve1: { token: token(B, "B"), quotient: String(RESERVE) },
      amountOut: String(paid),
    });
  });

  it("asks for an output as well, and adds its gas", async () => {
    const { body } = await quote({ type: "exactOut", tokenInAddress: A, tokenOutAddress: B });
    const needed = (RESERVE * AMOUNT * 1_000n) / ((RESERVE - AMOUNT) * 997n) + 1n;
    expect(body).toMatchObject({ amount: String(AMOUNT), quote: String(needed) });
    expect(BigInt(body.quoteGasAdjusted as string)).toBe(needed + BigInt(body.gasUseEstimateQuote as string));
  });

  it("honours protocols", async () => {
    const query = { tokenOutAddress: B, blockNumber: BLOCKS.ab };
    expect((await quote({ ...query, protocols: "v2,v3" })).status).toBe(404);
    expect((await quote({ ...query, protocols: "mixed" })).body.routeString).toMatch(/^\[V2 \+ V3]/);
    expect((await quote({ tokenInAddress: A, tokenOutAddress: B, protocols: "v3" })).status).toBe(404);
    expect((await quote({ tokenInAddress: A, tokenOutAddress: B, protocols: "v2" })).status).toBe(200);
    expect((await quote({ tokenInAddress: A, tokenOutAddress: B, protocols: "V2, V3" })).status).toBe(200);
  });

  it("takes what is sent empty for what is not sent", async () => {
    const empty = { protocols: "", recipient: "", slippageTolerance: "", deadline: "", blockNumber: "", timestamp: "" };
    const given = { tokenInAddress: A, tokenOutAddress: B };
    const { status, body } = await quote({ ...given, ...empty });
    expect([status, { ...body, quoteId: 0 }]).toEqual([200, { ...(await quote(given)).body, quoteId: 0 }]);
  });
});

describe("the native coin", () => {
  it.each(["BERA", "bera", "ETH", "eth", ZERO, `${ZERO}00`, "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"])(
    "may be %s",
    async (native) => {
      const [wrapped, coin] = [await quote({}), await quote({ tokenInAddress: native })];
      expect(coin.body.quote).toBe(wrapped.body.quote);
      expect(BigInt(coin.body.gasUseEstimate as string)).toBe(BigInt(wrapped.body.gasUseEstimate as string) + 27_938n);
    },
  );

  it("is wrapped and unwrapped one for one", async () => {
    const terms = { recipient: ALICE, slippageTolerance: "1" };
    const wrap = await quote({ tokenInAddress: "BERA", tokenOutAddress: WRAPPED, ...terms });
    expect(wrap.body).toMatchObject({ quote: String(AMOUNT), route: [], gasUseEstimate: "27938" });
    expect(wrap.body.methodParameters).toMatchObject({ to: ROUTER, value: `0x${AMOUNT.toString(16)}` });
    expect(
      callsOf((wrap.body.methodParameters as { calldata: string }).calldata).calls.map((call) => call.functionName),
    ).toEqual(["wrapETH", "sweepToken"]);
    const unwrap = await quote({ tokenInAddress: WRAPPED, tokenOutAddress: "ETH", type: "exactOut", ...terms });
    expect(unwrap.body).toMatchObject({ quote: String(AMOUNT), gasUseEstimate: "36000" });
    expect(unwrap.body.methodParameters).toMatchObject({ to: ROUTER, value: "0x0" });
  });
});

describe("a transaction", () => {
  const terms = { recipient: NOBODY_ELSE, slippageTolerance: "0.5" };

  it("is there with recipient and slippage only", async () => {
    expect((await quote({ recipient: NOBODY_ELSE })).body).not.toHaveProperty("methodParameters");
    expect((await quote({ slippageTolerance: "1" })).body).not.toHaveProperty("methodParameters");
    const { body } = await quote({ ...terms, deadline: 60, blockNumber: BLOCKS.wa });
    const { calldata, to, value } = body.methodParameters as Record<string, string>;
    expect([to, value]).toEqual([ROUTER, "0x0"]);
    const minimum = (BigInt(body.quote as string) * 995n) / 1_000n;
    expect(callsOf(calldata)).toEqual({
      deadline: BigInt(timestampOf(BLOCKS.head) + 60),
      calls: [
        {
          functionName: "exactInputSingle",
          args: [
            {
              ...{ tokenIn: expect.any(String), tokenOut: expect.any(String), fee: 3_000 },
              recipient: expect.stringMatching(new RegExp(NOBODY_ELSE, "i")),
              ...{ amountIn: AMOUNT, amountOutMinimum: minimum, sqrtPriceLimitX96: 0n },
            },
          ],
        },
      ],
    });
  });

  it("passes pools of both kinds in sections, and takes the minimum at the end", async () => {
    const { body } = await quote({ ...terms, tokenInAddress: "BERA", tokenOutAddress: B });
    const { calldata, value } = body.methodParameters as Record<string, string>;
    expect(BigInt(value!)).toBe(AMOUNT);
    const { calls } = callsOf(calldata);
    expect(calls.map(({ functionName }) => functionName)).toEqual([
      "sweepToken",
      "exactInputSingle",
      "swapExactTokensForTokens",
      "refundETH",
    ]);
    // what lay in the router before is the recipient's, and no part of the swap
    expect(calls[0]?.args?.map(String).map((arg) => arg.toLowerCase())).toEqual([A, "0", NOBODY_ELSE]);
    const [amountIn, minimum] = (calls[2]?.args ?? []) as readonly bigint[];
    expect([amountIn, minimum]).toEqual([0n, (BigInt(body.quote as string) * 995n) / 1_000n]);
  });

  it("bounds what is taken for a fixed output, rounded up", async () => {
    const { body } = await quote({ ...terms, tokenInAddress: A, tokenOutAddress: B, type: "exactOut" });
    const { calls } = callsOf((body.methodParameters as { calldata: string }).calldata);
    const needed = BigInt(body.quote as string);
    expect(calls.map(({ functionName, args }) => [functionName, args?.[0], args?.[1]])).toEqual([
      ["swapTokensForExactTokens", AMOUNT, (needed * 1_005n + 999n) / 1_000n],
    ]);
  });
});

describe("what cannot be quoted", () => {
  it.each<[Query, string]>([
    [{ tokenInAddress: "" }, "tokenInAddress"],
    [{ tokenInAddress: "DAI" }, "tokenInAddress"],
    [{ tokenOutAddress: "0x12" }, "tokenOutAddress"],
    [{ tokenInChainId: "" }, "tokenInChainId"],
    [{ tokenInChainId: 1 }, "tokenInChainId"],
    [{ tokenOutChainId: "x" }, "tokenOutChainId"],
    [{ tokenOutAddress: WRAPPED }, "tokenOutAddress"],
    [{ tokenInAddress: "ETH", tokenOutAddress: ZERO }, "tokenOutAddress"],
    [{ amount: "" }, "amount"],
    [{ amount: 0 }, "amount"],
    [{ amount: "1.5" }, "amount"],
    [{ amount: "-1" }, "amount"],
    [{ amount: 2n ** 256n }, "amount"],
    [{ type: "" }, "type"],
    [{ type: "exact" }, "type"],
    [{ protocols: "v4" }, "protocols"],
    [{ protocols: "v2,," }, "protocols"],
    [{ protocols: "mixed", type: "exactOut" }, "protocols"],
    [{ recipient: "0x1" }, "recipient"],
    [{ recipient: ZERO }, "recipient"],
    [{ slippageTolerance: 51 }, "slippageTolerance"],
    [{ slippageTolerance: "50.000000000000000001" }, "slippageTolerance"],
    [{ slippageTolerance: "-1" }, "slippageTolerance"],
    [{ slippageTolerance: "1%" }, "slippageTolerance"],
    [{ deadline: 0 }, "deadline"],
    [{ deadline: 86_401 }, "deadline"],
    [{ deadline: "1.5" }, "deadline"],
    [{ blockNumber: "x" }, "blockNumber"],
  ])("%o is refused by the name of %s", async (query, parameter) => {
    const { status, body } = await quote(query);
    expect([status, errorOf(body).code, errorOf(body).details.parameter]).toEqual([400, "INVALID_INPUT", parameter]);
  });

  it("says what a deadline must be where a time is given", async () => {
    const { body } = await quote({ deadline: 1_900_000_000 });
    expect(errorOf(body).message).toBe("deadline: must be a whole number of seconds from 1 to 86400");
  });

  it("has no route", async () => {
    const refused = async (query: Query) => {
      const { status, body } = await quote(query);
      expect([status, body.errorCode]).toEqual([404, "NO_ROUTE"]);
      return body.detail;
    };
    expect(await refused({ tokenOutAddress: NOBODY_ELSE })).toBe("No route found");
    expect(await refused({ blockNumber: 1 })).toBe("No route found");
    // more than the pool pays or takes at any price
    for (const amount of [10n ** 30n, 2n ** 256n - 1n])
      expect(await refused({ type: "exactOut", amount })).toBe("No route found");
    expect(await refused({ amount: 2n ** 256n - 1n })).toBe("No route found");
    // the pool to D is of the other factory
    expect((await quote({ tokenInAddress: A, tokenOutAddress: D })).body.routeString).toContain(POOL_AD);
    expect(await refused({ tokenOutAddress: D })).toBe("No route found");
  });

  it.each([
    ["a pair", TAXED],
    ["a v3 pool", TAXED_IN_V3],
  ])("has no route through a token that takes a fee, from the block where %s shows that", async (_, token) => {
    const query = { tokenInAddress: B, tokenOutAddress: token };
    expect((await quote({ ...query, blockNumber: BLOCKS.taxedPair })).status).toBe(200);
    const { status, body } = await quote({ ...query, blockNumber: BLOCKS.taxShows });
    expect([status, body]).toEqual([
      404,
      { detail: `No route found: ${token} takes a fee on transfer`, errorCode: "NO_ROUTE" },
    ]);
  });

  it("has no route through a pool whose events contradict each other", async () => {
    const query = { tokenInAddress: B, tokenOutAddress: C };
    expect((await quote({ ...query, blockNumber: BLOCKS.bcStops - 1 })).status).toBe(200);
    expect((await quote({ ...query, blockNumber: BLOCKS.bcStops })).status).toBe(404);
  });
});

describe("the block", () => {
  it("decides the pools: before and after a swap", async () => {
    const moved = filledPool(POOL_WA);
    moved.swap(MOVE);
    const after = String(paidBy(moved, AMOUNT));
    expect((await quote({ blockNumber: BLOCKS.waMoves - 1 })).body.quote).toBe(
      String(paidBy(filledPool(POOL_WA), AMOUNT)),
    );
    expect((await quote({ blockNumber: BLOCKS.waMoves })).body.quote).toBe(after);
    expect((await quote({ blockNumber: 99_999_999_999 })).body).toMatchObject({ quote: after, blockNumber: "10" });
    expect((await quote()).body).toMatchObject({ quote: after, blockNumber: "10" });
  });

  it("that moved a pair is in the first quote after it, and gone with a reorg", async () => {
    const { sql } = database;
    const query = { tokenInAddress: A, tokenOutAddress: B };
    const [before, next] = [(await quote(query)).body.quote, BLOCKS.head + 1];
    const sync = async (reserve1: bigint, fork: number) => {
      await sql`delete from facts_router.v2_sync where block = ${next}`;
      await sql`delete from facts_router.block where number = ${next}`;
      const place = { block: next, log_index: 1, tx_index: 0, timestamp: timestampOf(next) };
      const reported = { pair: PAIR_AB, reserve0: String(RESERVE), reserve1: String(reserve1) };
      await sql`insert into facts_router.v2_sync ${sql({ ...place, ...reported })}`;
      await sql`insert into facts_router.block values (${next}, ${hashOf(next, fork)}, ${timestampOf(next)}, null)`;
      await followScripted(sql, index);
    };
    const paid = (reserve1: bigint) => String((AMOUNT * 997n * reserve1) / (RESERVE * 1_000n + AMOUNT * 997n));
    await sync(2n * RESERVE, 0);
    expect((await quote(query)).body).toMatchObject({ blockNumber: "11", quote: paid(2n * RESERVE) });
    await sync(3n * RESERVE, 1);
    expect((await quote(query)).body).toMatchObject({ blockNumber: "11", quote: paid(3n * RESERVE) });
    await sync(RESERVE, 2);
    expect((await quote(query)).body).toMatchObject({ blockNumber: "11", quote: before });
    expect((await quote({ ...query, blockNumber: BLOCKS.head })).body.quote).toBe(before);
  });
});

describe("GraphQL", () => {
  const fields = `block { number } amount quote quoteDecimals quoteGasAdjusted gasUseEstimate gasUseEstimateUSD priceImpact routeString
    quoteId methodParameters { calldata value to }
    route { protocol percent amountIn amountOut hops { type address fee liquidity reserve0 tokenIn { address symbol decimals } } }`;
  const input = (query: Query) => ({ tokenInAddress: WRAPPED, tokenOutAddress: A, amount: String(AMOUNT), ...query });

  it("answers what REST answers", async () => {
    const query = { tokenOutAddress: B, recipient: ALICE, slippageTolerance: "1" };
    const rest = (await quote(query)).body;
    const { data, errors } = await gateway.graphql(
      `query ($quote: RouterQuoteInput!) { routerQuote(quote: $quote) { ${fields} } }`,
      { quote: input(query) },
    );
    expect(errors).toBeUndefined();
    const { routerQuote } = data as { routerQuote: Record<string, unknown> };
    for (const name of [
      "amount",
      "quote",
      "quoteDecimals",
      "quoteGasAdjusted",
      "gasUseEstimate",
      "gasUseEstimateUSD",
      "priceImpact",
    ])
      expect(routerQuote[name], name).toEqual(rest[name]);
    expect(routerQuote).toMatchObject({
      ...{ routeString: rest.routeString, quoteId: rest.quoteId, methodParameters: rest.methodParameters },
      route: [{ protocol: "mixed", percent: "100.00", amountIn: String(AMOUNT), amountOut: rest.quote }],
    });
  });
});
