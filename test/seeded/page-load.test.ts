// The mix of `npm run load -- --pages`, drawn over the seeded devnet: every page asked for is one that the explorer leads to.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp, listen } from "../../gateway/server.ts";
import { learnPages, type PageWorld } from "../../trials/load/learn-pages.ts";
import { pageQuestions } from "../../trials/load/page-mix.ts";
import { openPageReader } from "../../trials/load/read-page.ts";
import { openSender } from "../../trials/load/send.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { sized } from "../support/sized.ts";
import { openSeededGateway } from "./seeded-index.ts";

const DRAWN_OF_EACH = 2;
/** Of every view some, about the newest block and past ones. */
const MOST = sized({ some: { newest: 3, past: 1, elsewhere: 2 }, whole: { newest: 12, past: 4, elsewhere: 3 } });

let gateway: TestGateway;
let server: Server;
let url: string;
let world: PageWorld;

beforeAll(async () => {
  gateway = openSeededGateway();
  server = await listen(createApp(gateway.service, pino({ level: "silent" }), { pages }), {
    host: "127.0.0.1",
    port: 0,
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = await learnPages(
    openPageReader(url),
    ({ method, path, headers, body }) => fetch(url + path, { method, headers, body: body ?? null }),
    MOST,
  );
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await gateway?.close();
});

it("the mix has Home, tokens, search and status, at the newest block and past ones where they have any", () => {
  const names = pageQuestions(world).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "home, newest",
      "home, past blocks",
      "tokens, newest",
      "tokens, past blocks",
      "search",
      "status, newest",
    ]),
  );
});

it("the mix finds no link on any page that leads nowhere", () => {
  expect(world.broken).toEqual([]);
});

it("the mix weighs what every page loads", () => {
  expect(world.firstViews.length).toBeGreaterThan(5);
  for (const { bytes, scriptBytes } of world.firstViews) expect(bytes).toBeGreaterThan(scriptBytes);
  expect(Math.min(...world.firstViews.map(({ scriptBytes }) => scriptBytes))).toBeGreaterThan(0);
});

it("the mix is answered", async () => {
  const sender = openSender(url, { connections: 4 });
  const random = seededRandom("page load");
  const wrong: string[] = [];
  for (const { draw, lawful = [] } of pageQuestions(world))
    for (let i = 0; i < DRAWN_OF_EACH; i++) {
      const drawn = draw(random);
      const { outcome } = await sender.send(drawn);
      if (outcome !== "200" && !lawful.includes(outcome)) wrong.push(`${drawn.path}: ${outcome}`);
    }
  sender.close();
  expect(wrong).toEqual([]);
});
