// What one document may cost before anything of it runs: hostile ones are refused at once, tools' own are answered.
import { getIntrospectionQuery } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const PATIENCE_MS = 5_000;
const problemsOf = async (query: string): Promise<string[]> => {
  const { errors = [] } = await gateway.graphql(query);
  return (errors as { message: string; extensions?: { code?: string } }[]).map(
    ({ message, extensions }) => `${extensions?.code}: ${message}`,
  );
};

/** Each spreads the next two: as many paths as Fibonacci's numbers. */
const spreadingFragments = (count: number): string =>
  [
    "{ ...f0 }",
    ...Array.from({ length: count }, (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 2} }`),
    ...[count, count + 1].map((i) => `fragment f${i} on Query { __typename }`),
  ].join(" ");

const POOL = `0x${"d1".repeat(20)}`;
/** One field under as many names. */
const many = (field: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(" ");
const aliases = (count: number): string => many("description", count);

describe("a document", () => {
  it(
    "of fragments with billions of paths is counted in no time",
    async () => {
      expect(await problemsOf(spreadingFragments(60))).toEqual([]);
    },
    PATIENCE_MS,
  );

  it.each([
    ["one field 19,000 times", `{ tokens { nodes { ${"symbol ".repeat(19_000)} } } }`],
    ["one question 2,500 times", `{ ${"tokens { nodes { symbol } } ".repeat(2_500)} }`],
    ["the name of its type 8,000 times", `{ ${"__typename ".repeat(8_000)} }`],
    [
      "a thousand fragments",
      `{ __typename } ${Array.from({ length: 2_100 }, (_, i) => `fragment f${i} on Query { __typename }`).join(" ")}`,
    ],
  ])(
    "with %s is refused before its fields are compared",
    async (_, query) => {
      expect(await problemsOf(query)).toEqual([expect.stringMatching(/^QUERY_TOO_LARGE: The document has \d+ fields/)]);
    },
    PATIENCE_MS,
  );

  it("of more than 20,000 tokens is refused before the rest of it is read", async () => {
    const problems = await problemsOf(`{ ${"a:status{state} ".repeat(60_000)} ] no GraphQL`);
    expect(problems).toEqual([expect.stringMatching(/^QUERY_TOO_LARGE: The document has more than 20000 tokens/)]);
  });

  it.each([
    ["lists within lists", `{ __schema { types { fields { type { ofType { fields { ${aliases(100)} } } } } } } }`],
    ["thousands of names", `{ __schema { types { fields { ${aliases(1_900)} } } } }`],
  ])("that reads too much of the schema by %s is refused", async (_, query) => {
    expect(await problemsOf(query)).toEqual([expect.stringMatching(/^QUERY_TOO_LARGE: Introspection could return/)]);
  });

  it.each([
    [
      "every change of a pool",
      `{ poolHistory(pool: "${POOL}", from: { number: 100 }) { nodes { ${many("tick", 60)} } } }`,
    ],
    [
      "prices of a list that a variable has",
      `query($a: [String!]!) { tokenPrices(addresses: $a) { ${many("id", 60)} } }`,
    ],
    [
      "prices of thousands of tokens",
      `{ tokenPrices(addresses: [${`"${POOL}", `.repeat(5_000)}]) { ${many("id", 110)} } }`,
    ],
    [
      "balances of a variable's users at blocks",
      `query($u: [Address!]!) { balancesAtBlocks(token: "${POOL}", blocks: [${"100, ".repeat(100)}], users: $u) {
         nodes { ${many("amount", 60)} } } }`,
    ],
    [
      "contracts at every block of a history",
      `{ distributionHistory(token: "${POOL}", from: { number: 100 }, points: 25) { sources { contracts { ${many("symbol", 40)} } } } }`,
    ],
    [
      "pages whose length stands in the second of two arguments",
      `{ facts { markets(first: null, last: 1000) { nodes { series(interval: day, from: 0) { ${many("trades", 10)} } } } } }`,
    ],
  ])("that could be answered with %s, each in many fields, is refused", async (_, query) => {
    expect(await problemsOf(query)).toEqual([
      expect.stringMatching(/^QUERY_TOO_LARGE: The answer could have \d+ fields; at most 500000/),
    ]);
  });

  it.each([
    [
      "a pool's history at a number of blocks",
      `{ poolHistory(pool: "${POOL}", from: { number: 100 }, points: 100) { nodes { ${many("tick", 60)} } } }`,
    ],
    ["prices of a few tokens", `{ tokenPrices(addresses: ["${POOL}", "${POOL}"]) { ${many("id", 400)} } }`],
    [
      "everything of all tokens that a variable names, at two blocks",
      `query($a: [String!]!) { ${[100, 110].map(
        (block) => `b${block}: tokenPrices(addresses: $a, block: { number: ${block} }) {
         id address known name symbol decimals totalSupply totalSupplyDecimal priceStrategy unpriced
         price { usd usdDouble strategy path block { number hash timestamp } } }`,
      )} }`,
    ],
    ["a page whose length is null", `{ tokens(first: null) { nodes { ${many("symbol", 400)} } } }`],
  ])("of %s is answered", async (_, query) => {
    const problems = await problemsOf(query);
    expect(problems.filter((problem) => problem.startsWith("QUERY_TOO_LARGE"))).toEqual([]);
  });

  it("of tools that ask for the whole schema is answered", async () => {
    const whole = { inputValueDeprecation: true, specifiedByUrl: true, schemaDescription: true, oneOf: true };
    expect(await problemsOf(getIntrospectionQuery(whole))).toEqual([]);
  });
});
