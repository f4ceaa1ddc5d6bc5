// Commands that pages name: run as they stand, they are about the page's own chain.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { PLAIN, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const other = { ...smallIndex, chainId: 31_338, ponderSchema: "facts_other", foldSchema: "fold_other" };

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  for (const index of [smallIndex, other]) await buildIndex(database.sql, index);
  const [first, second] = [smallIndex, other].map(({ chainId }, i) =>
    chainFixture({ chainId, startBlock: 100, name: i === 0 ? "first" : "second" }),
  );
  if (first && second) gateway = openGateway(database.url, first, [second]);
});
afterAll(async () => {
  await gateway?.close();
  await database?.stop();
});

const commandsOf = async (chain: string): Promise<string[]> => {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  const page = await app.request(`/explore/${chain}/token/${PLAIN}?block=112`);
  expect(page.status).toBe(200);
  const text = await page.text();
  return [
    ...new Set([...text.matchAll(/<code class="command">([^<]*npm run[^<]*)</g)].map(([, command = ""]) => command)),
  ];
};

describe("a page's commands", () => {
  it("name the chain where they would read another, which may have a token at the same address", async () => {
    expect(await commandsOf("second")).toEqual([`CHAIN=second npm run verify -- --token ${PLAIN} --block 112`]);
  });

  it("name none where they read the page's chain by themselves", async () => {
    expect(await commandsOf("first")).toEqual([`npm run verify -- --token ${PLAIN} --block 112`]);
  });
});
