// Followers of a head that not every server has yet, that is just being replaced, or that moves to another index: nothing is missed.
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changeLive } from "../../fold/revision.ts";
import type { Service } from "../../gateway/context.ts";
import { openDatabase } from "../../gateway/database/database.ts";
import type { EventQueue } from "../../gateway/subscriptions/event-queue.ts";
import { Feeds } from "../../gateway/subscriptions/feeds.ts";
import { followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import {
  buildIndex,
  createFactTables,
  hashOf,
  type Index,
  insertBlocks,
  insertFacts,
  switchGateways,
  writeFold,
} from "../support/index-fixture.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const HEAD = smallIndex.head;
const log = pino({ level: "silent" });
const chain = chainFixture({ chainId: 31337, startBlock: 100 });
const stopText = "insert into tidemark.chain_stop values (31337, 108, '0xaa', '0xbb', 104)";

let database: TestDatabase;
let gateway: TestGateway;

beforeEach(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  gateway = openGateway(database.url, chain);
});
afterEach(async () => {
  await gateway.close();
  await database.stop();
});

async function addBlock({ sql }: TestDatabase, { ponderSchema, foldSchema }: Index = smallIndex): Promise<void> {
  await insertBlocks(sql, ponderSchema, { from: HEAD + 1, to: HEAD + 1 });
  await followFacts(sql, { ponderSchema, foldSchema });
}

const stopChain = ({ sql }: TestDatabase) => changeLive(sql, 31337, { change: stopText, parameters: [] });

const feedsOf = (service: Service) => new Feeds({ service, log, followEveryMs: 20 });
/** Until the head has been read once for those who are there. */
const settle = () => sleep(200);

async function nextOf<T>(queue: EventQueue<T>): Promise<unknown> {
  return Promise.race([queue.next().then(({ value }) => value), sleep(5_000, "nothing came")]);
}

it.each([
  ["a block", addBlock, { event: { block: { number: HEAD + 1, hash: hashOf(HEAD + 1) } } }],
  ["that the chain has replaced final blocks", stopChain, { ended: { code: "CHAIN_REPLACED" } }],
])(
  "%s is announced once the server that is read has it, though another one has shown it before",
  async (_, happens, said) => {
    const { service } = gateway;
    const ahead = await startTestDatabase();
    await buildIndex(ahead.sql, smallIndex);
    const reader = openDatabase(ahead.url);
    try {
      const feeds = feedsOf({ ...service, database: { ...service.database, rows: (text) => reader.rows(text) } });
      const queue = await feeds.blocks(undefined);
      await settle();
      await happens(ahead);
      await settle();
      await happens(database);
      expect(await nextOf(queue)).toMatchObject(said);
      await queue.return();
    } finally {
      await reader.close();
      await ahead.stop();
    }
  },
);

it("who subscribes while others are being ended, as the chain has replaced final blocks, is refused, and all who come later", async () => {
  const { service } = gateway;
  let gate: Promise<void> | undefined;
  let waiting = 0;
  const connect: Service["database"]["connect"] = async (refused) => {
    waiting += 1;
    await gate;
    return service.database.connect(refused);
  };
  const feeds = feedsOf({ ...service, database: { ...service.database, connect } });
  const present = await feeds.blocks(undefined);
  await settle();
  let openGate = () => {};
  gate = new Promise((resolve) => {
    openGate = resolve;
  });
  waiting = 0;
  await stopChain(database);
  for (let i = 0; i < 100 && waiting === 0; i++) await sleep(20);
  expect(waiting).toBe(1);
  const replaced = { code: "CHAIN_REPLACED" };
  const late = expect(feeds.blocks(undefined)).rejects.toMatchObject(replaced);
  await sleep(50);
  openGate();
  expect(await nextOf(present)).toMatchObject({ ended: replaced });
  await late;
  await expect(feeds.blocks(undefined)).rejects.toMatchObject(replaced);
  expect(feeds.open).toBe(0);
});

it("subscribers alone make a process follow the index that gateways are pointed at", async () => {
  const next = { ...smallIndex, ponderSchema: "facts_next", foldSchema: "fold_next" };
  const { sql } = database;
  const feeds = feedsOf(gateway.service);
  const queue = await feeds.blocks(undefined);
  await settle();
  await createFactTables(sql, next.ponderSchema);
  await insertBlocks(sql, next.ponderSchema, { from: next.firstBlock, to: next.head });
  await insertFacts(sql, next.ponderSchema, next.facts);
  await writeFold(sql, next);
  await switchGateways(sql, next);
  await addBlock(database, next);
  expect(await nextOf(queue)).toMatchObject({ event: { block: { number: HEAD + 1, hash: hashOf(HEAD + 1) } } });
  await queue.return();
});
