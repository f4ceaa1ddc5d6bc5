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

const aliases = (count: number): string => Array.from({ length: count }, (_, i) => `a${i}: description`).join(" ");

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

  it.each([
    ["lists within lists", `{ __schema { types { fields { type { ofType { fields { ${aliases(100)} } } } } } } }`],
    ["thousands of names", `{ __schema { types { fields { ${aliases(1_900)} } } } }`],
  ])("that reads too much of the schema by %s is refused", async (_, query) => {
    expect(await problemsOf(query)).toEqual([expect.stringMatching(/^QUERY_TOO_LARGE: Introspection could return/)]);
  });

  it("of tools that ask for the whole schema is answered", async () => {
    const whole = { inputValueDeprecation: true, specifiedByUrl: true, schemaDescription: true, oneOf: true };
    expect(await problemsOf(getIntrospectionQuery(whole))).toEqual([]);
  });
});
