// Pages of launches beyond what GraphQL gives at once: their query is of the launches that they show.
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { ALICE, AT, E, HONEY, launch, launchChain, launchScript, OLD, POOL } from "../support/launch-script.ts";
import { tokenOf } from "../support/reference-ledger.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const MANY = Array.from({ length: 1_030 }, (_, i) => tokenOf(1_000 + i));
/** Another one over the token of POOL. */
const OTHER_POOL = tokenOf(15);
/** A launch whose base token had no price at its first trade: it was launched itself after that. */
const [EARLY, LATE_BASE] = [tokenOf(16), tokenOf(17)];

function buy(script: ReturnType<typeof launchScript>, pool: string, amount: bigint): void {
  const amounts = { token_in: "0", base_in: `${amount}`, token_out: "1", base_out: "0" };
  script.tell("launch_swap", { pool, sender: ALICE, to: ALICE, ...amounts });
}

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
  launch(script, { pool: OTHER_POOL, token: OLD, base: HONEY });
  launch(script, { pool: EARLY, token: EARLY, base: LATE_BASE });
  buy(script, EARLY, 5n * E);
  script.nextBlock();
  script.mint(LATE_BASE, LATE_BASE, 1_000n * E);
  launch(script, { pool: LATE_BASE, token: LATE_BASE, base: HONEY });
  buy(script, EARLY, 10n * E);
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
  const { text, graphql = "" } = await open(`page=${page}&limit=${limit}&block=${AT.head + 2}`);
  expect(listed.filter((address) => !text.includes(address))).toEqual([]);
  const { launches } = await gateway.data<Launches>(decodeURIComponent(graphql));
  expect(launches.nodes.slice(-listed.length).map(({ token }) => token.address)).toEqual(listed);
});

it("a page beyond the last launch has no query of others", async () => {
  expect((await open("page=90")).graphql).toBeUndefined();
});

it("each launch of a token that was launched twice has the link of its own page", async () => {
  const { text } = await open(`addresses=${OLD}`);
  const links = [...text.matchAll(/<a class="name" href="([^"]+)" title="([^"]+)"/g)].map(([, href, title]) => [
    href,
    title,
  ]);
  expect(links).toEqual([OTHER_POOL, POOL].map((pool) => [`/explore/fixture/launch/${pool}`, OLD]));
});

it("pages of a launch say what is missing in what was traded in USD", async () => {
  const { body } = await gateway.get(`/launch/31337/tokens/${EARLY}`);
  expect([body.volumeUSD, body.unpricedVolume]).toEqual([10, 5]);
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  for (const subject of ["launch", "pool"]) {
    const answer = await app.request(`/explore/fixture/${subject}/${EARLY}`, { headers: { accept: "text/html" } });
    const text = await answer.text();
    expect([subject, /\$10<.*? without .*?value="5".*?, which had no price then/s.test(text)]).toEqual([subject, true]);
  }
});
