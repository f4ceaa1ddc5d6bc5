// One operation, two skins: every question gives the same facts through REST and through GraphQL, at a block that is final and
// at the head.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { RequestScope } from "../../gateway/context.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { seededExamples } from "./examples.ts";
import { type Answer, loneCases, type ParityWorld, sharedCases } from "./parity-cases.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

let gateway: TestGateway;
let world: Omit<ParityWorld, "block">;

const run = vi.spyOn(RequestScope.prototype, "run");

beforeAll(async () => {
  gateway = openSeededGateway();
  const { chainId, ownRouterName } = seededChain();
  world = { ...(await seededExamples()), chainId, router: ownRouterName };
});
beforeEach(() => void run.mockClear());
afterAll(async () => {
  run.mockRestore();
  await gateway.close();
});

/** The operations that the skins have run since the test began. */
const questionsRun = () => run.mock.calls.map(([{ name }]) => name);

async function askRest(path: string, posted?: unknown): Promise<Answer> {
  const body = JSON.stringify(posted);
  const init = posted === undefined ? {} : { method: "POST", body, headers: { "content-type": "application/json" } };
  const response = await gateway.app.request(path, init);
  const text = await response.text();
  expect([response.status, response.status === 200 ? "" : text], path).toEqual([200, ""]);
  return JSON.parse(text);
}

async function askGraphql(fields: string): Promise<Answer> {
  const { data, errors } = await gateway.graphql(`{ ${fields} }`);
  expect(errors).toBeUndefined();
  return data;
}

/** Nothing, a list of nothing, or an object with such a list in it: nothing would have been compared. */
const isHollow = (answer: unknown): boolean => {
  const isNothing = (value: unknown) =>
    value === null || value === undefined || (Array.isArray(value) && !value.length);
  return isNothing(answer) || (typeof answer === "object" && Object.values(answer ?? {}).some(isNothing));
};

describe.each([
  ["a final block", seeded.finalized - 100],
  ["the head", seeded.head],
])("At %s", (_, block) => {
  test.each(sharedCases)("$question gives the same facts through both skins", async (one) => {
    const here = { ...world, block };
    const ofRest = one.ofRest(await askRest(one.rest(here), one.restBody?.(here)));
    expect(questionsRun()).toContain(one.question);
    run.mockClear();
    const ofGraphql = one.ofGraphql(await askGraphql(one.graphql(here)));
    expect(questionsRun()).toContain(one.question);
    expect(ofRest).toEqual(ofGraphql);
    expect(isHollow(ofGraphql)).toBe(false);
  });

  test.each(loneCases)("$question is answered by the one skin that offers it", async (one) => {
    const here = { ...world, block };
    const answer = "rest" in one ? await askRest(one.rest(here)) : await askGraphql(one.graphql(here));
    expect(questionsRun()).toContain(one.question);
    expect(isHollow(answer)).toBe(false);
  });
});
