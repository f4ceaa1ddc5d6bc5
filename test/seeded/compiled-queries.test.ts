// A query that comes again is answered by a function that it was compiled into, and not by Yoga: with the same text, errors included.
import { readFileSync } from "node:fs";
import { Kind, type OperationDefinitionNode, parse, print } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { type Examples, seededExamples } from "./examples.ts";
import { loneCases, type ParityWorld, sharedCases } from "./parity-cases.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const document = readFileSync(new URL("../../docs/querying.md", import.meta.url), "utf8");
const examples = [...document.matchAll(/^```graphql\n([\s\S]*?)^```/gm)]
  .flatMap(([, text]) => [...parse(text ?? "").definitions])
  .filter((definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION)
  .filter(({ operation }) => operation === "query");

let gateway: TestGateway;
let found: Examples;

beforeAll(async () => {
  gateway = openSeededGateway();
  found = await seededExamples();
});
afterAll(() => gateway.close());

/** What is another at every request: how long providers took, and what is said of this moment. */
const scrubbed = (text: string) =>
  text
    .replace(/"calldata":"0x[0-9a-f]*"/g, '"calldata":""')
    .replace(/"executionTime":"\d+"/g, '"executionTime":"0"')
    .replace(/"(\w*(?:Seconds|At|Ms))":("[^"]*"|[\d.]+)/g, '"$1":0');

interface Body {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}

async function answer(body: Body): Promise<string> {
  const response = await gateway.app.request("/graphql", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return `${response.status} ${scrubbed(await response.text())}`;
}

/** @returns what Yoga answers, and what the compiled query does */
async function answersOf(body: Body) {
  // a text that nobody has sent before
  const query = `${body.query} # ${Math.random()}`;
  return [await answer({ ...body, query }), await answer({ ...body, query })] as const;
}

/** A request that has no time left for a volume says null, and the next one goes on: a busy machine takes several. */
async function untilVolumesAreKnown(body: Body): Promise<void> {
  for (let isKnown = false; !isKnown; ) isKnown = !(await answer(body)).includes('"volumeUSD":null');
}

const contract = `0x${"c0".repeat(20)}`;

describe("A query that comes again is answered as before", () => {
  test.each(examples.map((example, i) => [`${i + 1} ${example.name?.value ?? ""}`, example] as const))(
    "in example %s of docs/querying.md",
    async (_, example) => {
      const names = (example.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
      const values = { ...found } as Record<string, unknown>;
      const variables = Object.fromEntries(names.map((name) => [name, values[name]]));
      await untilVolumesAreKnown({ query: `${print(example)} # before`, variables });
      const [first, again] = await answersOf({ query: print(example), variables });
      expect(again).toBe(first);
      expect(first).toMatch(/^200 \{"data":/);
    },
  );

  const withQuery = [...sharedCases, ...loneCases].flatMap((one) => ("graphql" in one ? [one] : []));
  test.each(withQuery)("about $question", async ({ graphql }) => {
    const { chainId, ownRouterName: router } = seededChain();
    const world: ParityWorld = { ...found, chainId, router, block: seeded.finalized - 100 };
    const [first, again] = await answersOf({ query: `{ ${graphql(world)} }` });
    expect(again).toBe(first);
  });

  test.each([
    [
      "where a field that may be null fails",
      `{ token(address: "${contract}") { symbol } facts { swaps(first: 1) { nodes { block } } } }`,
    ],
    ["where a field that must not be null fails", `{ balances(token: "${contract}") { nodes { account } } }`],
    [
      "where several fail",
      `{ a: balances(token: "${contract}") { totalCount } facts { b: swaps(first: 5000) { nodes { block } } swaps(first: 1) { nodes { block } } } }`,
    ],
    [
      "where what fails lies in a list",
      "{ facts { markets(first: 3) { nodes { address swaps(first: 11) { block } } } } }",
    ],
    [
      "through fragments, aliases and directives",
      `query Q($no: Boolean! = false) { facts { ...F swaps(first: 2) @include(if: $no) { nodes { block } } } }
       fragment F on Facts { m: markets(first: 2) { nodes { a: address __typename ... on Market { fee @skip(if: $no) } } } }`,
    ],
    ["about the schema", "{ __schema { queryType { name fields { name args { name defaultValue } } } } }"],
  ])("%s", async (_, query) => {
    const [first, again] = await answersOf({ query });
    expect(again).toBe(first);
  });

  test("where variables are missing, of another type, or too many", async () => {
    const query = "query Q($token: Address!, $first: Int) { balances(token: $token, first: $first) { totalCount } }";
    const good = { token: found.token };
    for (const variables of [good, {}, { token: 5 }, { ...good, first: "many" }, { ...good, first: null, more: 1 }]) {
      const [first, again] = await answersOf({ query, variables });
      expect(again).toBe(first);
    }
    const [unknown, unknownAgain] = await answersOf({ query, variables: good, operationName: "R" });
    expect(unknownAgain).toBe(unknown);
    const [named, namedAgain] = await answersOf({ query, variables: good, operationName: "Q" });
    expect(namedAgain).toBe(named);
    expect(named).toMatch(/^200 \{"data":/);
  });
});
