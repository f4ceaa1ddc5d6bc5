// What `npm run fuzz:http` makes of refusals.
import fc from "fast-check";
import { expect, it } from "vitest";
import { openapiDocument } from "../../gateway/rest/openapi/document.ts";
import { viewDocument } from "../../gateway/rest/openapi/view.ts";
import { judgeAnswer } from "../../trials/fuzz/judge-answer.ts";
import { type FuzzRequest, requestArbitrary } from "../../trials/fuzz/request-arbitrary.ts";

const operation = { responses: { 400: {} }, parameters: [], body: { properties: { query: {} } } };
const request = { operation, method: "POST", path: "/sql", broken: [] } as unknown as FuzzRequest;
const refusal = (code: string, message: string, parameter = "query") => ({
  status: 400,
  headers: new Headers({ "x-request-id": "1" }),
  text: JSON.stringify({ error: { code, message, details: { parameter } } }),
  milliseconds: 1,
});

const view = viewDocument(openapiDocument("0"));
const address = `0x${"ab".repeat(20)}`;
const samples = {
  ...{ chainId: 1, nativeSymbol: "X", firstBlock: 0, lastBlock: 9, lastTimestamp: 9, pairs: [] },
  ...{
    tokens: [address],
    traded: [address],
    accounts: [address],
    pools: [address],
    vaults: [address],
    launches: [address],
  },
};

it("the judge takes a statement that is refused by line and column for a documented refusal", () => {
  const message = 'line 1, column 1: syntax error at or near "honey"';
  expect(judgeAnswer(request, refusal("SQL_INVALID", message))).toEqual([]);
});

it("the judge finds a refusal whose message names no parameter", () => {
  for (const [code, message] of [
    ["INVALID_INPUT", "line 1, column 1: syntax error"],
    ["SQL_INVALID", "syntax error"],
  ] as const)
    expect(judgeAnswer(request, refusal(code, message))).toEqual([`is a 400 that names no parameter: ${message}`]);
});

it("the judge takes a refusal of a body's type for a documented one", () => {
  const message = "content-type: must be application/json where the body is JSON";
  expect(judgeAnswer(request, refusal("INVALID_INPUT", message, "content-type"))).toEqual([]);
});

it("the judge expects no refusal of a parameter of the URL that the body names too, for what a body names is not read there", () => {
  const tokens = view.operations.filter(({ method, path }) => method === "POST" && path === "/tokens");
  const drawn = fc.sample(requestArbitrary({ view: { ...view, operations: tokens }, samples }), {
    seed: 1,
    numRuns: 2_000,
  });
  const named = drawn.filter(({ operation, body }) => operation && body?.startsWith('{"blockNumber":'));
  expect(named.filter(({ path }) => path.includes("blockNumber=")).length).toBeGreaterThan(50);
  expect(named.filter(({ broken }) => broken.includes("blockNumber"))).toEqual([]);
});
