// Subscriptions where the chain has replaced final blocks: what was sent of these holds no more, and nothing comes in its place.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { changeLive } from "../../fold/revision.ts";
import { createApp, listen } from "../../gateway/http/server.ts";
import { type EventStream, openEventStream } from "../support/event-stream.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { ALICE, PLAIN, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const BLOCKS = "subscription { newBlock { block { number hash } } }";
const BALANCES = `subscription { balanceChanged(token: "${PLAIN}", accounts: ["${ALICE}"]) { block { number } balance } }`;

let database: TestDatabase;
let gateway: TestGateway;
let server: Server;
const open: EventStream[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
  const app = createApp(gateway.service, pino({ level: "silent" }), { followEveryMs: 30 });
  server = await listen(app, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  for (const stream of open) stream.leave();
  server?.closeAllConnections();
  server?.close();
  await gateway?.close();
  await database?.stop();
});

const change = (text: string) => changeLive(database.sql, 31337, { change: text, parameters: [] });

async function subscribe(query: string): Promise<EventStream> {
  const stream = await openEventStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, query);
  open.push(stream);
  return stream;
}

async function endOf(stream: EventStream): Promise<unknown> {
  for (let i = 0; i < 250 && !stream.isComplete; i++) await sleep(20);
  return stream.isComplete ? stream.results.at(-1)?.errors?.[0] : "it goes on";
}

it.each([
  [104, "Ask for block 104 or an earlier one"],
  [-1, "No block of the index is left"],
])("ends those who are there and refuses those who come, where both branches are one up to %s", async (fork, way) => {
  const present = [await subscribe(BLOCKS), await subscribe(BALANCES)];
  // the chain is followed for them already when it replaces blocks
  await sleep(200);
  expect(present.map(({ isComplete }) => isComplete)).toEqual([false, false]);
  await change(`insert into tidemark.chain_stop values (31337, 108, '0xaa', '0xbb', ${fork})`);
  const replaced = {
    message: expect.stringContaining(way),
    extensions: { code: "CHAIN_REPLACED", details: { lastSyncedBlock: fork === -1 ? null : fork } },
  };
  for (const stream of present) expect(await endOf(stream)).toMatchObject(replaced);
  for (const query of [BLOCKS, BALANCES]) expect(await endOf(await subscribe(query))).toMatchObject(replaced);
  await change("delete from tidemark.chain_stop");
  const later = await subscribe(BLOCKS);
  await sleep(200);
  expect(later.isComplete).toBe(false);
});
