// The mix of `npm run load`, drawn over the seeded devnet: every question is about something that is there.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ask } from "../../trials/fuzz/sample-values.ts";
import { learnWorld, type World } from "../../trials/load/learn.ts";
import { questionsOf } from "../../trials/load/mix.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway } from "./seeded-index.ts";

const SEED = process.env.LOAD_SEED ?? "load";

let gateway: TestGateway;
let world: World;
const ask: Ask = async ({ method, path, headers, body }) =>
  gateway.app.request(path, { method, headers, ...(body === undefined ? {} : { body }) });

beforeAll(async () => {
  gateway = openSeededGateway();
  world = await learnWorld(ask, { tokens: 12, swaps: 5, pools: 12 });
});
afterAll(() => gateway.close());

describe(`the mix of seed ${SEED}`, () => {
  it("has questions of every kind", () => {
    expect(questionsOf(world).map(({ name }) => name)).toHaveLength(13);
    expect(world.tokens.length).toBeGreaterThan(5);
    expect(world.swaps.length).toBe(5);
  });

  it("is answered", async () => {
    const random = seededRandom(SEED);
    const wrong: string[] = [];
    for (const { name, draw, lawful = [] } of questionsOf(world)) {
      const response = await ask(draw(random));
      const text = await response.text();
      const isAnswered = response.status === 200 || lawful.includes(String(response.status));
      if (!isAnswered || text.startsWith('{"errors"')) wrong.push(`${name}: ${response.status} ${text.slice(0, 300)}`);
    }
    expect(wrong).toEqual([]);
  });
});
