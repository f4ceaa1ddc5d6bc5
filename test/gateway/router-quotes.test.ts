// Many quotes of the router in one question.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { paidBy, type Query } from "../support/router-questions.ts";
import { A, filledPool, POOL_WA, routerChain, tellRouterWorld, WRAPPED } from "../support/router-world.ts";
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
