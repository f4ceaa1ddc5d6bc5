// Subscribers to much at once: all that one move of the head brings arrives, with what is known of its token by then.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Address } from "../../gateway/parameters.ts";
import { createApp, listen } from "../../gateway/server.ts";
import { Feeds, MOST_WATCHED_TOGETHER } from "../../gateway/subscriptions/feeds.ts";
import { type EventStream, openEventStream } from "../support/event-stream.ts";
import { cutBackTo, followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, insertBlocks, insertFacts } from "../support/index-fixture.ts";
import { accountOf, type Fact } from "../support/reference-ledger.ts";
import { ALICE, BOB, PLAIN, smallIndex, UNREAD } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const HEAD = smallIndex.head;
const FACTS = smallIndex.ponderSchema;
const log = pino({ level: "silent" });

let database: TestDatabase;
let gateway: TestGateway;
let server: Server;
const open: EventStream[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
  server = await listen(createApp(gateway.service, log, { followEveryMs: 30 }), { host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  for (const stream of open.splice(0)) stream.leave();
  await remove();
  await cutBackTo(database.sql, smallIndex, HEAD);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await gateway.close();
  await database.stop();
});

async function subscribe(query: string): Promise<EventStream> {
  const stream = await openEventStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, query);
  open.push(stream);
  return stream;
}

type Moves = readonly Pick<Fact, "token" | "from" | "to" | "amount">[];

/** Blocks above the head, the first of them with `moves`; and the fold follows. */
async function add(moves: Moves, { count = 1, fork = 0 } = {}): Promise<void> {
  const facts = moves.map((move, logIndex): Fact => ({ kind: "transfer", block: HEAD + 1, logIndex, ...move }));
  await insertFacts(database.sql, FACTS, facts);
  await insertBlocks(database.sql, FACTS, { from: HEAD + 1, to: HEAD + count, fork });
  await followFacts(database.sql, smallIndex);
}

async function remove(): Promise<void> {
  for (const [table, column] of [["block", "number"] as const, ["erc20_transfer", "block"] as const])
    await database.sql`delete from ${database.sql(FACTS)}.${database.sql(table)} where ${database.sql(column)} > ${HEAD}`;
}

const crowd = (count: number, from = 1_000): string[] => Array.from({ length: count }, (_, i) => accountOf(from + i));
const balancesOf = (token: string, accounts: readonly string[]) => `subscription {
  balanceChanged(token: "${token}", accounts: ${JSON.stringify(accounts)}) {
    block { hash } token { symbol decimals } account balance balanceDecimal deltaDecimal isCorrection } }`;

it("a block that pays 400 watched accounts, and its replacement, are announced to a subscriber that reads", async () => {
  const accounts = crowd(400);
  const stream = await subscribe(balancesOf(PLAIN, accounts));
  await add(accounts.map((to) => ({ token: PLAIN, from: ALICE, to, amount: 5n })));
  const event = (account: string, fork: number) => ({
    ...{ block: { hash: hashOf(HEAD + 1, fork) }, account, isCorrection: fork === 1 },
    balance: fork === 0 ? "5" : "0",
  });
  const paid = (await stream.upTo(400)).map(({ data }) => data?.balanceChanged);
  expect(paid).toMatchObject(accounts.map((account) => event(account, 0)));
  await remove();
  await add([], { fork: 1 });
  const takenBack = (await stream.upTo(800)).slice(400).map(({ data }) => data?.balanceChanged);
  expect(takenBack).toMatchObject(accounts.map((account) => event(account, 1)));
  expect(stream.isComplete).toBe(false);
});

it("500 blocks that come at once are all announced to a subscriber that reads", async () => {
  const stream = await subscribe("subscription { newBlock { block { number } } }");
  await add([], { count: 500 });
  const numbers = (await stream.upTo(500)).map(({ data }) => data?.newBlock);
  expect(numbers).toEqual(Array.from({ length: 500 }, (_, i) => ({ block: { number: HEAD + 1 + i } })));
  expect(stream.isComplete).toBe(false);
});

it("a balance is in whole tokens as soon as the token's decimals are known", async () => {
  const stream = await subscribe(balancesOf(UNREAD, [BOB]));
  await add([{ token: UNREAD, from: ALICE, to: BOB, amount: 2n }]);
  await stream.upTo(1);
  const bytes = Buffer.from(UNREAD.slice(2), "hex");
  await database.sql`insert into fold_small.token values (${bytes}, 'Read later', 'RL', 1, ${HEAD}, null)`;
  await remove();
  await add([{ token: UNREAD, from: ALICE, to: BOB, amount: 3n }], { fork: 1 });
  const sent = (await stream.upTo(2)).map(({ data }) => data?.balanceChanged);
  expect(sent).toMatchObject([
    { token: { symbol: null, decimals: null }, balance: "2", balanceDecimal: null, deltaDecimal: null },
    { token: { symbol: "RL", decimals: 1 }, balance: "3", balanceDecimal: "0.3", deltaDecimal: "0.3" },
  ]);
});

it("subscriptions of one process watch a limited number of accounts together", async () => {
  const feeds = new Feeds({ service: gateway.service, log, followEveryMs: 60_000 });
  const watch = (count: number, from: number) =>
    feeds.balances(undefined, { token: PLAIN as Address, accounts: crowd(count, from) as Address[] });
  const queues = [];
  for (let from = 0; from < MOST_WATCHED_TOGETHER; from += 1_000) queues.push(await watch(1_000, from));
  await expect(watch(1, 0)).rejects.toMatchObject({ code: "OVERLOADED", message: /Name fewer/ });
  queues.push(await feeds.blocks(undefined));
  await queues[0]?.return();
  queues.push(await watch(1_000, 0));
  for (const queue of queues) await queue.return();
  await (await watch(1_000, 0)).return();
  expect(feeds.open).toBe(0);
});

it("a subscriber that joins while the server stops ends as all others do", async () => {
  const stopping = new AbortController();
  const feeds = new Feeds({ service: gateway.service, log, stopping: stopping.signal, followEveryMs: 30 });
  const joining = feeds.blocks(undefined);
  stopping.abort();
  expect(await (await joining).next()).toMatchObject({ value: { ended: { code: "SERVER_STOPPING" } } });
});
