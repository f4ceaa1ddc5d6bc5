// Subscriptions where what was sent does not stay: the chain has replaced final blocks, and nothing comes in their place; or blocks are
// gone for a while, and come again.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { changeLive } from "../../fold/revision.ts";
import { createApp, listen } from "../../gateway/server.ts";
import { type EventStream, openEventStream } from "../support/event-stream.ts";
import { cutBackTo, followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, insertBlocks, insertFacts, timestampOf } from "../support/index-fixture.ts";
import { ALICE, BOB, PLAIN, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const BLOCKS = "subscription { newBlock { block { number hash timestamp } replaced { number hash timestamp } } }";
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

it("tells who came while blocks were gone what these did when they come again", async () => {
  const { sql } = database;
  const { ponderSchema, head } = smallIndex;
  const block = head + 1;
  const add = async () => {
    await insertBlocks(sql, ponderSchema, { from: block, to: block });
    const move = { kind: "transfer", block, logIndex: 0, token: PLAIN, from: ALICE, to: BOB, amount: 300n } as const;
    await insertFacts(sql, ponderSchema, [move]);
    await followFacts(sql, smallIndex);
  };
  const present = await subscribe(BLOCKS);
  await add();
  await present.upTo(1);

  await sql`delete from facts_small.block where number = ${block}`;
  await sql`delete from facts_small.erc20_transfer where block = ${block}`;
  await cutBackTo(sql, smallIndex, head);
  // a poll may be under way, the next one finds the blocks gone, and a third begins after it
  const polls = vi.spyOn(gateway.service.database, "rows");
  await vi.waitUntil(() => polls.mock.calls.length >= 3, { timeout: 20_000 });
  polls.mockRestore();
  const late = await subscribe(BALANCES.replaceAll(ALICE, BOB));
  const { body } = await gateway.get(`/balances/${PLAIN}?blockNumber=99999999999&users=${BOB}`);
  expect(body).toMatchObject({ lastSyncedBlock: head, results: [{ total: 0 }] });

  await add();
  const [sent] = (await late.upTo(1)).map(({ data }) => data?.balanceChanged);
  expect(sent).toEqual({ block: { number: block }, balance: "300" });
  const [, again] = await present.upTo(2);
  const seen = { number: block, hash: hashOf(block), timestamp: timestampOf(block) };
  expect(again?.data?.newBlock).toEqual({ block: seen, replaced: [seen] });
});
