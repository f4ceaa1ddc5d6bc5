// Many quotes of the router in one question.
import { afterAll, beforeAll, expect, it } from "vitest";
import { readMarket } from "../../gateway/aggregator/market.ts";
import { withOwnSnapshot } from "../../gateway/aggregator/own-snapshot.ts";
import { readQuoteInput } from "../../gateway/aggregator/quote-input.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { openRouter } from "../../gateway/router/place.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { paidBy, type Query } from "../support/router-questions.ts";
import { A, BLOCKS, filledPool, POOL_WA, routerChain, tellRouterWorld, WRAPPED } from "../support/router-world.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const AMOUNT = 10n ** 21n;
const NOBODY_ELSE = "0xaa000000000000000000000000000000000000ff";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  const place = { ponderSchema: "facts_quotes", foldSchema: "fold_quotes", finalized: 1, chain: routerChain };
  await buildScripted(database.sql, tellRouterWorld(), place);
  gateway = openGateway(database.url, routerChain);
});
afterAll(async () => {
  await gateway?.close();
  await database?.stop();
});

const input = (query: Query = {}) => ({
  ...{ tokenInAddress: WRAPPED, tokenOutAddress: A, amount: String(AMOUNT) },
  ...query,
});

const askAll = (quotes: readonly object[]) =>
  gateway.graphql(
    `query ($quotes: [RouterQuoteInput!]!) { routerQuotes(quotes: $quotes, block: { number: 7 }) {
       block { number } outcomes { quote { quote } error { code message } } } }`,
    { quotes },
  );

it("one question answers many quotes at one block, each with its own refusal, whatever is wrong with another", async () => {
  const wrong: Query[] = [
    { tokenOutAddress: WRAPPED },
    ...[{ tokenInAddress: "" }, { amount: "0" }, { amount: "1.5" }],
    ...[{ recipient: "0x12" }, { slippageTolerance: "51" }, { deadline: 0 }],
  ];
  const { data } = await askAll([input(), input({ tokenOutAddress: NOBODY_ELSE }), ...wrong.map(input), input()]);
  const paid = { quote: { quote: String(paidBy(filledPool(POOL_WA), AMOUNT)) }, error: null };
  expect(data).toEqual({
    routerQuotes: {
      block: { number: 7 },
      outcomes: [
        paid,
        { quote: null, error: { code: "NO_ROUTE", message: "No route found" } },
        ...wrong.map((one) => ({
          quote: null,
          error: { code: "INVALID_INPUT", message: expect.stringMatching(`^${Object.keys(one)[0]}: `) },
        })),
        paid,
      ],
    },
  });
});

it("one question takes 1 to 50 quotes", async () => {
  const code = async (count: number) => {
    const { errors } = await askAll(Array.from({ length: count }, () => input()));
    return errors?.[0]?.extensions?.code;
  };
  expect([await code(0), await code(50), await code(51)]).toEqual(["INVALID_INPUT", undefined, "INVALID_INPUT"]);
});

it("a swap quote without prices searches twice: for its gas and for itself, and not again where another one asks the same", async () => {
  const parts = { service: gateway.service, chain: routerChain };
  await withOwnSnapshot(parts, async (context) => {
    const place = await openRouter(context, blockNumbered(BLOCKS.wa));
    const { networks } = place.state;
    let searches = 0;
    const state = Object.defineProperty({ ...place.state }, "networks", {
      get: () => {
        searches++;
        return networks;
      },
    });
    const swap = readQuoteInput({ ...input(), type: "exactIn" }, routerChain);
    for (const _ of [1, 2]) {
      const { own } = await readMarket(context, { ...place, state }, swap);
      expect(own?.gasInQuote).toBeGreaterThan(0n);
      expect(searches).toBe(2);
    }
  });
});
