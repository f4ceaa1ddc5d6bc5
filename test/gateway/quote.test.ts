// GET /quote and its GraphQL twin: fields, parameters, choice, limits and calldata, with stand-ins of all outside services.
import { decodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aggregatorAbi } from "../../gateway/aggregator/aggregator-abi.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import {
  cachedPricer,
  EXTERNALS,
  openQuoteGateway,
  type QuoteGateway,
  statusesOf,
  withProviders,
} from "../support/quote-world.ts";
import { accountOf, ZERO } from "../support/reference-ledger.ts";
import { A, B, ROUTER, routerChain, TAXED, tellRouterWorld, WRAPPED } from "../support/router-world.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const AMOUNT = 10n ** 21n;
const [AGGREGATOR, EXECUTOR, RECIPIENT] = [accountOf(70), accountOf(71), accountOf(72)] as const;
const chain = withProviders(routerChain, AGGREGATOR);
const PATIENT = { QUOTE_TIMEOUT_MS: "20000", QUOTE_PROVIDER_TIMEOUT_MS: "20000", QUOTE_WORTH_WAITING_USD: "0" };

let database: TestDatabase;
let base: TestGateway;
let gateway: QuoteGateway;
let price: ReturnType<typeof cachedPricer>;

beforeAll(async () => {
  database = await startTestDatabase();
  const place = { ponderSchema: "facts_quote", foldSchema: "fold_quote", finalized: 1, chain: routerChain };
  await buildScripted(database.sql, tellRouterWorld(), place);
  base = openGateway(database.url, routerChain);
  price = cachedPricer({ base, chain, executor: EXECUTOR });
  gateway = await openQuoteGateway({ base, chain, executor: EXECUTOR, price, env: PATIENT });
});
afterAll(async () => {
  await gateway?.stop();
  await base?.close();
  await database?.stop();
});

type Query = Record<string, string | number | boolean | undefined>;

const queryOf = (query: Query): string =>
  Object.entries({
    ...{ tokenInAddress: A, tokenInChainId: 31337, tokenOutAddress: B, tokenOutChainId: 31337 },
    ...{ amount: String(AMOUNT), type: "exactIn", ...query },
  })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`]))
    .join("&");

const quote = (query: Query = {}, at: QuoteGateway = gateway) => at.get(`/quote?${queryOf(query)}`);
const terms = { recipient: RECIPIENT, slippageTolerance: "0.5" };

type Body = Record<string, unknown>;
interface Method {
  calldata: Hex;
  value: string;
  to: string;
  decodedArgs: Record<string, unknown>[];
}
const methodOf = (body: Body) => body.methodParameters as Method;

const integer = expect.stringMatching(/^\d+$/);
const decimal = expect.stringMatching(/^-?\d+(\.\d+)?$/);
const hex = expect.stringMatching(/^0x[0-9a-f]+$/);
const addressText = expect.stringMatching(/^0x[0-9a-f]{40}$/);
const usdOrNull = expect.toSatisfy((value) => value === null || /^\d+(\.\d+)?$/.test(String(value)), "USD or null");

/** Every field of the interface with its type; of otherQuote too, which lacks itself and expl. */
function expectWhole(body: Body, provider: string): void {
  const same = {
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...{ amountDecimalsUSD: usdOrNull, quoteDecimalsUSD: usdOrNull, gasUseEstimateUSD: usdOrNull },
    ...{ tokenInPriceUSD: usdOrNull, tokenOutPriceUSD: usdOrNull },
    ...{ priceImpact: decimal, blockNumber: integer, amount: integer, amountDecimals: decimal },
    ...{ quote: integer, quoteDecimals: decimal, gasUseEstimate: integer, gasPriceWei: integer },
    ...{ route: expect.any(Array), routeString: expect.any(String), quoteId: expect.any(String) },
    ...{ provider, refFee: integer, params: expect.any(Object) },
  };
  const method = { calldata: hex, value: hex, to: addressText };
  const { otherQuote, expl, ...outer } = body;
  expect(outer).toEqual({
    ...same,
    methodParameters: {
      ...method,
      decodedArgs: [
        { token: addressText, wrap: expect.any(Boolean), amount: integer },
        { token: addressText, unwrap: expect.any(Boolean), minAmountOut: integer, receiver: addressText },
        { router: addressText, data: hex },
        { feeQuote: integer, surplusFeeBps: integer, refCode: integer, referrerFeeBps: integer },
      ],
    },
  });
  expect(otherQuote).toEqual({ ...same, methodParameters: { ...method, decodedArgs: [] } });
  const entry = { provider: expect.any(String), status: expect.any(String), executionTime: integer };
  for (const one of expl as Body[])
    expect(one).toEqual({ ...entry, output: decimal, priority: decimal, gas: integer, ...messageOf(one) });
  const hops = (body.route as Body[][]).flat();
  const token = { chainId: 31337, decimals: integer, address: addressText, symbol: expect.anything() };
  for (const hop of hops) {
    expect(hop).toMatchObject({ type: expect.any(String), address: addressText, fee: integer });
    expect(body.routeString).toContain(` -- ${Number(hop.fee) / 10_000}% [${hop.address}] --> `);
    for (const side of [hop.tokenIn, hop.tokenOut] as Body[])
      expect({ ...side, symbol: side.symbol ?? "none" }).toEqual(token);
  }
}

const messageOf = ({ status }: Body) => (status === "success" ? {} : { message: expect.any(String) });

describe("an answer", () => {
  it.each(["Kodiak", ...EXTERNALS])("of %s has every field of the interface", async (name) => {
    const { status, body } = await quote({ ...terms, providers: name.toUpperCase(), debug: true });
    expect(status).toBe(200);
    expectWhole(body, name);
    expect(statusesOf(body)).toEqual({ [name]: "success" });
  });

  it("of the own router is the router's", async () => {
    const own = (await quote({ providers: "kodiak" })).body;
    const router = (await base.get(`/router/quote?${queryOf({ blockNumber: String(own.blockNumber) })}`)).body;
    for (const field of [
      "quote",
      "quoteDecimals",
      "amountDecimals",
      "gasUseEstimate",
      "gasPriceWei",
      "route",
      "routeString",
    ])
      expect(own[field], field).toEqual(router[field]);
    expect(own).not.toHaveProperty("methodParameters");
    expect(own).not.toHaveProperty("expl");
  });

  it("has no price impact where no path of our own takes the amount", async () => {
    const { body } = await quote({ tokenInAddress: WRAPPED, tokenOutAddress: A, protocols: "v2", debug: true });
    expect(statusesOf(body)).toMatchObject({ Kodiak: "no_route", OpenOcean: "success" });
    expect(body.priceImpact).toBeNull();
  });

  it("repeats what was asked, numbers only where the interface has them", async () => {
    const query = { ...terms, refCode: "4", referrerFeeBps: "7", providers: "KODIAK,magpie", protocols: "v2,v3,mixed" };
    const { body } = await quote({ ...query, debug: "true", deadline: 60, nonsense: "x" });
    expect(body.params).toEqual({
      ...{ tokenInAddress: A, tokenInChainId: 31337, tokenOutAddress: B, tokenOutChainId: 31337 },
      ...{ amount: String(AMOUNT), type: "exactIn", ...query, slippageTolerance: 0.5, debug: "true", deadline: "60" },
    });
    expect(Object.keys(statusesOf(body))).toEqual(["Kodiak", "Fly"]);
  });

  it("is the same in GraphQL", async () => {
    const rest = (await quote({ ...terms, providers: "kyber", debug: true })).body;
    const hop = `type address tokenIn { chainId decimals address symbol } fee reserve0 { quotient } amountIn amountOut`;
    const fields = `priceImpact blockNumber amount amountDecimals quote quoteDecimals gasUseEstimate gasPriceWei routeString
      provider refFee route { ${hop} } params { amount slippageTolerance providers }
      methodParameters { calldata value to decodedArgs { token wrap amount unwrap minAmountOut receiver feeQuote } }`;
    const { data, errors } = await gateway.graphql(`{ quote(tokenInAddress: "${A}", tokenOutAddress: "${B}",
      amount: "${AMOUNT}", type: exactIn, recipient: "${RECIPIENT}", slippageTolerance: "0.5", providers: "kyber",
      debug: true) { ${fields} expl { provider status output priority } otherQuote { provider quote } } }`);
    expect(errors).toBeUndefined();
    const answer = data?.quote as Body;
    for (const field of [
      "priceImpact",
      "quote",
      "quoteDecimals",
      "gasUseEstimate",
      "routeString",
      "provider",
      "refFee",
    ])
      expect(answer[field], field).toEqual(rest[field]);
    expect((answer.methodParameters as Method).decodedArgs[1]).toMatchObject(methodOf(rest).decodedArgs[1] ?? {});
    expect(answer.route).toMatchObject([[{ type: "v2-pool", reserve0: { quotient: expect.any(String) } }]]);
    expect(answer.otherQuote).toEqual({ provider: "Kyberswap", quote: rest.quote });
  });
});

describe("the choice", () => {
  it("falls on the most output after gas; ties on the first in the chain file", async () => {
    const { body } = await quote({ debug: true });
    expect(body.provider).toBe("OpenOcean");
    expect(Object.values(statusesOf(body))).toEqual(Array(6).fill("success"));
    const best = await openQuoteGateway({
      base,
      chain,
      executor: EXECUTOR,
      price,
      env: PATIENT,
      factors: { Fly: 10_200 },
    });
    expect((await quote({}, best)).body.provider).toBe("Fly");
    await best.stop();
  });

  it("is never worse than the own router, whatever a weight says", async () => {
    const heavy = {
      ...chain,
      providers: chain.providers.map((one) => ({ ...one, weight: one.priority > 0 ? "2" : "1" })),
    };
    const factors = Object.fromEntries(EXTERNALS.map((name) => [name, 9_990]));
    const worse = await openQuoteGateway({ base, chain: heavy, executor: EXECUTOR, price, env: PATIENT, factors });
    expect((await quote({}, worse)).body.provider).toBe("Kodiak");
    expect((await quote({ providers: "enso,fly" }, worse)).body.provider).toBe("Fly");
    await worse.stop();
  });

  it("does not wait where waiting cannot bring a better quote", async () => {
    const eager = await openQuoteGateway({
      ...{ base, chain, executor: EXECUTOR, price, env: { ...PATIENT, QUOTE_WORTH_WAITING_USD: "1000000000" } },
      modes: { Enso: "hang" },
    });
    const { body } = await quote({ debug: true }, eager);
    expect(body.provider).toBe("Kodiak");
    expect(new Set(EXTERNALS.map((name) => statusesOf(body)[name]))).toEqual(new Set(["skipped"]));
    await eager.stop();
  });

  it("has the own router, and the providers that can, for a fixed output, for information", async () => {
    const { body } = await quote({ ...terms, type: "exactOut", debug: true });
    expect(statusesOf(body)).toMatchObject({ Kodiak: "success", OpenOcean: "success", Fly: "unsupported" });
    const own = (await quote({ type: "exactOut", providers: "Kodiak" })).body;
    const router = (await base.get(`/router/quote?${queryOf({ type: "exactOut" })}`)).body;
    expect([own.quote, own.amount]).toEqual([router.quote, String(AMOUNT)]);
    expect(BigInt(body.quote as string)).toBeLessThan(BigInt(own.quote as string));
    expect(body).not.toHaveProperty("methodParameters");
  });
});

describe("the transaction", () => {
  it("is the aggregator contract's call, decoded as shown, with the slippage taken once", async () => {
    const { body } = await quote({ ...terms, refCode: 4, referrerFeeBps: 100, providers: "openocean" });
    const { calldata, to, value, decodedArgs } = methodOf(body);
    const promised = BigInt(body.quote as string);
    const refFee = promised / 100n;
    expect([to, value, body.refFee]).toEqual([AGGREGATOR, "0x0", String(refFee)]);
    expect(calldata.slice(0, 10)).toBe("0xd2644d14");
    const { args } = decodeFunctionData({ abi: aggregatorAbi, data: calldata });
    const plain = args.map((part) =>
      Object.fromEntries(
        Object.entries(part).map(([key, one]) => {
          if (typeof one === "boolean") return [key, one];
          return [key, String(one).toLowerCase()];
        }),
      ),
    );
    expect(plain).toEqual(decodedArgs);
    expect(decodedArgs).toMatchObject([
      { token: A, wrap: false, amount: String(AMOUNT) },
      { token: B, unwrap: false, minAmountOut: String(((promised - refFee) * 995n) / 1_000n), receiver: RECIPIENT },
      { router: EXECUTOR },
      { feeQuote: String(promised), surplusFeeBps: "0", refCode: "4", referrerFeeBps: "100" },
    ]);
    const other = (body.otherQuote as Body).methodParameters as Method;
    expect([other.to, other.calldata, other.decodedArgs]).toEqual([EXECUTOR, decodedArgs[2]?.data, []]);
  });

  it("wraps what comes in and unwraps what goes out", async () => {
    const native = await quote({ ...terms, tokenInAddress: "BERA", tokenOutAddress: A, providers: "Kodiak" });
    expect(methodOf(native.body)).toMatchObject({ value: `0x${AMOUNT.toString(16)}`, to: AGGREGATOR });
    expect(methodOf(native.body).decodedArgs[0]).toEqual({ token: WRAPPED, wrap: true, amount: String(AMOUNT) });
    const out = await quote({ ...terms, tokenInAddress: A, tokenOutAddress: ZERO, providers: "Kyberswap" });
    expect(methodOf(out.body)).toMatchObject({
      value: "0x0",
      decodedArgs: [{ wrap: false }, { unwrap: true }, {}, {}],
    });
  });

  it("of a plain wrap is the router's own", async () => {
    const { body } = await quote({ ...terms, tokenInAddress: "ETH", tokenOutAddress: WRAPPED, debug: true });
    expect(body).toMatchObject({ quote: String(AMOUNT), provider: "Kodiak", route: [], priceImpact: "0", refFee: "0" });
    expect(methodOf(body)).toMatchObject({ to: ROUTER, value: `0x${AMOUNT.toString(16)}`, decodedArgs: [] });
    const { quoteDecimals, gasUseEstimate } = body;
    expect(gasUseEstimate).not.toBe("0");
    expect(body.expl).toMatchObject([{ provider: "Kodiak", output: quoteDecimals, gas: gasUseEstimate }]);
  });

  it("gives every provider its own units of slippage", async () => {
    gateway.requested.length = 0;
    await quote({ ...terms, slippageTolerance: "30.5" });
    const said = new Map(
      gateway.requested.map(({ name, request }) => {
        const posted = request.body as { slippageTolerance?: number; ignoreCappedSlippage?: boolean } | undefined;
        const inPath = posted ? [posted.slippageTolerance, posted.ignoreCappedSlippage] : request.query.get("slippage");
        return [`${name} ${request.path.split("/").at(-1)}`, inPath] as const;
      }),
    );
    expect(Object.fromEntries(said)).toEqual({
      ...{ "OpenOcean swap": "30.5", "Fly quote": "0.305", "Fly transaction": null, "OogaBooga swap": "0.305" },
      ...{ "Enso route": "3050", "Kyberswap routes": null, "Kyberswap build": [3050, true] },
    });
  });
});

describe("what is refused", () => {
  it.each<[Query, string]>([
    [{ tokenInAddress: undefined }, "tokenInAddress"],
    [{ tokenOutAddress: "0x12" }, "tokenOutAddress"],
    [{ tokenOutAddress: A }, "tokenOutAddress"],
    [{ tokenInChainId: undefined }, "tokenInChainId"],
    [{ tokenOutChainId: 1 }, "tokenOutChainId"],
    [{ amount: "1.5" }, "amount"],
    [{ amount: String(2n ** 256n) }, "amount"],
    [{ type: "exact" }, "type"],
    [{ recipient: ZERO }, "recipient"],
    [{ slippageTolerance: "50.1" }, "slippageTolerance"],
    [{ deadline: 86_401 }, "deadline"],
    [{ refCode: 5 }, "refCode"],
    [{ refCode: 65_536 }, "refCode"],
    [{ referrerFeeBps: 1 }, "referrerFeeBps"],
    [{ refCode: 4, referrerFeeBps: 101 }, "referrerFeeBps"],
    [{ refCode: 4, referrerFeeBps: 1, type: "exactOut" }, "referrerFeeBps"],
    [{ providers: "kodiak,odos" }, "providers"],
    [{ debug: "maybe" }, "debug"],
  ])("%j names its parameter", async (query, parameter) => {
    const { status, body } = await quote(query);
    const error = body.error as { code: string; details: Body };
    expect([status, error.code, error.details.parameter]).toEqual([400, "INVALID_INPUT", parameter]);
  });

  it("is said with the name that is wrong, and those or the codes that there are", async () => {
    const message = async (query: Query) => ((await quote(query)).body.error as Body).message;
    const names = `there are ${["Kodiak", ...EXTERNALS].join(", ")}`;
    expect(await message({ providers: 'kodiak,o"dos,enso' })).toBe(
      `providers: there is no provider "o\\"dos"; ${names}`,
    );
    expect(await message({ providers: "x".repeat(10_000) })).toContain(`"${"x".repeat(60)}"; there are`);
    expect(await message({ refCode: 7 })).toBe("refCode: 7 is not registered; there are 0, 4");
  });

  it("is said with the cap of a referral code, or the names of the providers", async () => {
    const details = async (query: Query) => ((await quote(query)).body.error as { details: Body }).details;
    expect(await details({ refCode: 7 })).toMatchObject({ refCodes: [0, 4] });
    expect(await details({ refCode: 4, referrerFeeBps: 101 })).toMatchObject({ maxFeeBps: 100 });
    expect(await details({ providers: "odos" })).toMatchObject({ providers: ["Kodiak", ...EXTERNALS] });
  });

  it("is a token nobody has heard of, or without a route", async () => {
    const unknown = await quote({ tokenOutAddress: accountOf(99) });
    expect([unknown.status, (unknown.body.error as Body).code]).toEqual([404, "TOKEN_NOT_TRACKED"]);
    const huge = await quote({ tokenInAddress: WRAPPED, tokenOutAddress: A, amount: String(10n ** 40n) });
    expect([huge.status, (huge.body.error as Body).code]).toEqual([404, "NO_ROUTE"]);
    expect((huge.body.error as Body).message).toMatch(/Ask for a smaller amount or name other providers\.$/);
  });

  it.each([{ tokenOutAddress: TAXED }, { tokenInAddress: TAXED }])(
    "is a fee on transfer, by its name: %j",
    async (query) => {
      const { status, body } = await quote({ ...query, providers: "kodiak" });
      const { code, message } = body.error as Body;
      expect([status, code]).toEqual([404, "NO_ROUTE"]);
      expect(message).toContain(`${TAXED} takes a fee on transfer`);
      expect(message).not.toContain("smaller amount");
    },
  );
});
