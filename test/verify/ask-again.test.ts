// Which answers of a server random questions wait for, and which they take as they are.
import { describe, expect, test } from "vitest";
import { askAgain, refusalOf } from "../../trials/fuzz/ask-again.ts";
import type { Ask } from "../../trials/fuzz/sample-values.ts";

const QUESTION = { method: "GET", path: "/status", headers: {} };

const refused = (code: string, status = 503) =>
  new Response(JSON.stringify({ error: { code, message: code } }), { status, headers: { "retry-after": "0" } });

/** Answers in their order; the last one from then on. */
function answering(answers: readonly (() => Response)[]): { ask: Ask; count: () => number } {
  let count = 0;
  const ask: Ask = async () => {
    const answer = answers[Math.min(count, answers.length - 1)] as () => Response;
    count += 1;
    return answer();
  };
  return { ask, count: () => count };
}

describe("a question", () => {
  test("is asked again while the block is not there, and judged by the answer that comes", async () => {
    const later = [() => refused("CATCHING_UP"), () => refused("OVERLOADED"), () => new Response("{}")];
    const { ask } = answering(later);
    const { answered, refusals, stayed } = await askAgain(ask, QUESTION, 10_000);
    expect([answered.status, answered.text, refusals, stayed]).toEqual([
      200,
      "{}",
      ["CATCHING_UP", "OVERLOADED"],
      false,
    ]);
  });

  test("that stays refused is reported as refused", async () => {
    const { ask, count } = answering([() => refused("CATCHING_UP")]);
    const { answered, stayed } = await askAgain(ask, QUESTION, 20);
    expect([answered.status, stayed]).toEqual([503, true]);
    expect(count()).toBeGreaterThan(1);
  });

  test.each([
    ["an unknown 503", () => refused("BROKEN")],
    ["a pool that is stopped for good", () => refused("POOL_STOPPED")],
    ["a wrong parameter", () => refused("INVALID_INPUT", 400)],
    ["a 500", () => refused("INTERNAL", 500)],
  ])("is not asked again after %s", async (_, answer) => {
    const { ask, count } = answering([answer]);
    const { refusals, stayed } = await askAgain(ask, QUESTION, 10_000);
    expect([count(), refusals, stayed]).toEqual([1, [], false]);
  });

  test("is asked once where nobody waits", async () => {
    const { ask, count } = answering([() => refused("CATCHING_UP")]);
    expect((await askAgain(ask, QUESTION, undefined)).answered.status).toBe(503);
    expect(count()).toBe(1);
  });

  test("without an answer has the status 0", async () => {
    const ask: Ask = () => Promise.reject(new Error("connection lost"));
    const { answered } = await askAgain(ask, QUESTION, 10_000);
    expect([answered.status, answered.text]).toEqual([0, "no answer: connection lost "]);
  });
});

test("a GraphQL answer says inside that it is for later", () => {
  const text = JSON.stringify({ data: null, errors: [{ message: "a" }, { extensions: { code: "INDEX_FOLDING" } }] });
  expect(refusalOf({ status: 200, text })).toBe("INDEX_FOLDING");
  expect(
    refusalOf({ status: 200, text: JSON.stringify({ errors: [{ extensions: { code: "INVALID_INPUT" } }] }) }),
  ).toBeUndefined();
  expect(refusalOf({ status: 200, text: '{"data":{"name":"\\"errors\\" CATCHING_UP"}}' })).toBeUndefined();
});
