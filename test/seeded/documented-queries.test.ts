// Every example query of docs/querying.md, asked of the seeded devnet: none fails, and none comes back empty.
import { readFileSync } from "node:fs";
import { Kind, type OperationDefinitionNode, parse, print } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { seededExamples } from "./examples.ts";
import { openSeededGateway } from "./seeded-index.ts";

const document = readFileSync(new URL("../../docs/querying.md", import.meta.url), "utf8");
const examples: [string, OperationDefinitionNode][] = [...document.matchAll(/^```graphql\n([\s\S]*?)^```/gm)].flatMap(
  ([, text], place) =>
    parse(text ?? "").definitions.flatMap((definition): [string, OperationDefinitionNode][] =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.operation !== "subscription"
        ? [[`${place + 1} ${definition.name?.value ?? ""}`, definition]]
        : [],
    ),
);

let gateway: TestGateway;
/** What an example's variables stand for. */
let values: Record<string, unknown>;

beforeAll(async () => {
  gateway = openSeededGateway();
  values = { ...(await seededExamples()) };
});
afterAll(() => gateway.close());

/** Nothing, an empty list, or an object with only such fields. */
const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every(isEmpty);
};

const emptyFields = (data: object): string[] =>
  Object.entries(data).flatMap(([name, value]) => {
    if (name === "facts" && value) return emptyFields(value as object);
    const isEmptyList = typeof value === "object" && value !== null && "nodes" in value && isEmpty(value.nodes);
    return isEmpty(value) || isEmptyList ? [name] : [];
  });

describe("docs/querying.md", () => {
  test("has examples", () => {
    expect(examples.length).toBeGreaterThan(10);
  });

  test.each(examples)("example %s is answered in full", async (_, definition) => {
    const names = (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
    expect(names.filter((name) => values[name] === undefined)).toEqual([]);
    const variables = Object.fromEntries(names.map((name) => [name, values[name]]));
    const { data, errors } = await gateway.graphql(print(definition), variables);
    expect(errors).toBeUndefined();
    expect(emptyFields(data as object)).toEqual([]);
  });
});
