// What `npm run fuzz:http` makes of refusals.
import { expect, it } from "vitest";
import { judgeAnswer } from "../../trials/fuzz/judge-answer.ts";
import type { FuzzRequest } from "../../trials/fuzz/request-arbitrary.ts";

const operation = { responses: { 400: {} }, parameters: [], body: { properties: { query: {} } } };
const request = { operation, method: "POST", path: "/sql", broken: [] } as unknown as FuzzRequest;
const refusal = (code: string, message: string) => ({
  status: 400,
  headers: new Headers({ "x-request-id": "1" }),
  text: JSON.stringify({ error: { code, message, details: { parameter: "query" } } }),
  milliseconds: 1,
});

it("takes a statement that is refused by line and column for a documented refusal", () => {
  const message = 'line 1, column 1: syntax error at or near "honey"';
  expect(judgeAnswer(request, refusal("SQL_INVALID", message))).toEqual([]);
});

it("finds a refusal whose message names no parameter", () => {
  for (const [code, message] of [
    ["INVALID_INPUT", "line 1, column 1: syntax error"],
    ["SQL_INVALID", "syntax error"],
  ] as const)
    expect(judgeAnswer(request, refusal(code, message))).toEqual([`is a 400 that names no parameter: ${message}`]);
});
