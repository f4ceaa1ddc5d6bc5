// Pages of launches beyond what GraphQL gives at once: their query is of the launches that they show.
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApp } from "../../gateway/http/server.ts";
import { pages } from "../../gateway/pages/pages.tsx";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { AT, HONEY, launch, launchChain, launchScript } from "../support/launch-script.ts";
import { tokenOf } from "../support/reference-ledger.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const MANY = Array.from({ length: 1_030 }, (_, i) => tokenOf(1_000 + i));
const index = { ponderSchema: "facts_launches", foldSchema: "fold_launches", finalized: AT.head };

interface Launches {
  launches: { nodes: { token: { address: string } }[] };
}

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  const script = launchScript();
  script.nextBlock();
  for (const token of MANY) launch(script, { pool: token, token, base: HONEY });
  await buildScripted(database.sql, script, index);
  gateway = openGateway(database.url, launchChain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

async function open(query: string): Promise<{ text: string; graphql: string | undefined }> {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  const answer = await app.request(`/explore/fixture/launches?${query}`, { headers: { accept: "text/html" } });
  const text = await answer.text();
  return { text, graphql: /href="\/graphql\?query=([^"]+)"/.exec(text)?.[1] };
}

it.each([
  [2, 20],
  [50, 20],
  [51, 20],
  [52, 20],
  [11, 100],
])("page %s of %s launches has a query that ends with those that it shows", async (page, limit) => {
  const { body } = await gateway.get(`/launch/31337/tokens?page=${page}&limit=${limit}`);
  const listed = (body.data as { id: string }[]).map(({ id }) => id);
  const { text, graphql = "" } = await open(`page=${page}&limit=${limit}&block=${AT.head + 1}`);
  expect(listed.filter((address) => !text.includes(address))).toEqual([]);
  const { launches } = await gateway.data<Launches>(decodeURIComponent(graphql));
  expect(launches.nodes.slice(-listed.length).map(({ token }) => token.address)).toEqual(listed);
});

it("a page beyond the last launch has no query of others", async () => {
  expect((await open("page=90")).graphql).toBeUndefined();
});
