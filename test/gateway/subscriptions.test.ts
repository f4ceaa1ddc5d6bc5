// Subscriptions over real HTTP: what is announced of new and of replaced blocks, to whom, and how it ends.
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { copyRegistries } from "../../fold/facts/recent-facts.ts";
import type { Service } from "../../gateway/context.ts";
import { createApp, listen } from "../../gateway/server.ts";
import { MOST_WAITING } from "../../gateway/subscriptions/event-queue.ts";
import { Feeds, MOST_SUBSCRIBERS } from "../../gateway/subscriptions/feeds.ts";
import { type EventStream, openEventStream } from "../support/event-stream.ts";
import { cutBackTo, followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, timestampOf } from "../support/index-fixture.ts";
import { ALICE, BOB, BROKEN, CAROL, PLAIN, quarantineSql, smallIndex, UNKNOWN } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const HEAD = smallIndex.head;
const PAIR = "0x00000000000000000000000000000000000000d1";
const log = pino({ level: "silent" });

let database: TestDatabase;
let gateway: TestGateway;
let server: Server;
let base: string;
const stopping = new AbortController();
/** Transactions and single statements that the feeds asked for. */
const counts = { transactions: 0, statements: 0 };
const open: EventStream[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  await database.sql.unsafe(quarantineSql(smallIndex));
  await database.sql`insert into facts_small.v2_pair_created
    (block, log_index, tx_index, timestamp, factory, pair, token0, token1, ordinal)
    values (102, 0, 0, 0, ${UNKNOWN}, ${PAIR}, ${PLAIN}, ${UNKNOWN}, 1)`;
  await copyRegistries(database.sql, { ponder: "facts_small", fold: "fold_small" }, { after: 101, upTo: 102 });
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
  const { service } = gateway;
  const counted: Service = {
    ...service,
    database: {
      ...service.database,
      connect: () => {
        counts.transactions += 1;
        return service.database.connect();
      },
      rows: (text) => {
        counts.statements += 1;
        return service.database.rows(text);
      },
    },
  };
  const app = createApp(counted, log, { stopping: stopping.signal, followEveryMs: 30 });
  server = await listen(app, { host: "127.0.0.1", port: 0 });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const stream of open.splice(0)) stream.leave();
  await removeFrom(HEAD + 1);
  await cutBackTo(database.sql, smallIndex, HEAD);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await gateway.close();
  await database.stop();
});

async function subscribe(query: string, headers?: HeadersInit): Promise<EventStream> {
  const stream = await openEventStream(base, query, headers);
  open.push(stream);
  return stream;
}

interface NewBlock {
  number: number;
  fork?: number;
  transfers?: { from: string; to: string; amount: bigint }[];
  syncs?: number;
}

/** Blocks with all their facts, as Ponder adds them, in one transaction; and the fold follows. */
async function add(...blocks: NewBlock[]): Promise<void> {
  await database.sql.begin(async (sql) => {
    for (const { number, fork = 0, transfers = [], syncs = 0 } of blocks) {
      const place = { block: number, tx_index: 0, timestamp: timestampOf(number) };
      await sql`insert into facts_small.block ${sql({ number, hash: hashOf(number, fork), timestamp: timestampOf(number) })}`;
      for (const [i, { amount, ...move }] of transfers.entries())
        await sql`insert into facts_small.erc20_transfer
          ${sql({ ...place, ...move, log_index: i, token: PLAIN, amount: `${amount}` })}`;
      for (let i = 0; i < syncs; i++)
        await sql`insert into facts_small.v2_sync ${sql({ ...place, log_index: 10 + i, pair: PAIR, reserve0: 1, reserve1: 2 })}`;
    }
  });
  await followFacts(database.sql, smallIndex);
}

const removeFrom = (number: number) =>
  database.sql.begin(async (sql) => {
    await sql`delete from facts_small.block where number >= ${number}`;
    for (const table of ["erc20_transfer", "v2_sync"])
      await sql`delete from facts_small.${sql(table)} where block >= ${number}`;
  });

const seen = (number: number, fork = 0) => ({ number, hash: hashOf(number, fork), timestamp: timestampOf(number) });
const codeOf = (stream: EventStream) => stream.results.at(-1)?.errors?.[0]?.extensions?.code;

async function settles(read: () => boolean): Promise<boolean> {
  for (let i = 0; i < 250 && !read(); i++) await sleep(20);
  return read();
}

const BLOCKS = "subscription { newBlock { block { number hash timestamp } replaced { number hash timestamp } } }";
const balancesOf = (...accounts: string[]) =>
  `subscription { balanceChanged(token: "${PLAIN}", accounts: ${JSON.stringify(accounts)}) {
     block { number hash } token { address symbol } account balance balanceDecimal delta isCorrection } }`;
const POOL = `subscription { poolChanged(id: "${PAIR}") { block { number hash } pool events { logIndex kind } isCorrection } }`;

describe("newBlock", () => {
  it("names every block from now on, each once", async () => {
    const stream = await subscribe(BLOCKS);
    expect(stream.response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    await add({ number: HEAD + 1 });
    await stream.upTo(1);
    await add({ number: HEAD + 2 }, { number: HEAD + 3 });
    expect(await stream.upTo(3)).toEqual(
      [1, 2, 3].map((i) => ({ data: { newBlock: { block: seen(HEAD + i), replaced: [] } } })),
    );
  });

  it("announces a block in the place of another again, with what it replaces", async () => {
    const stream = await subscribe(BLOCKS);
    await add({ number: HEAD + 1 }, { number: HEAD + 2 });
    await stream.upTo(2);
    await removeFrom(HEAD + 1);
    await add({ number: HEAD + 1, fork: 1 });
    await stream.upTo(3);
    await add({ number: HEAD + 2, fork: 1 });
    const results = (await stream.upTo(4)).slice(2);
    expect(results.map(({ data }) => data?.newBlock)).toEqual([
      { block: seen(HEAD + 1, 1), replaced: [seen(HEAD + 1), seen(HEAD + 2)] },
      { block: seen(HEAD + 2, 1), replaced: [] },
    ]);
  });

  it("says nothing of rows that are cut back and come again", async () => {
    const stream = await subscribe(BLOCKS);
    await add({ number: HEAD + 1 }, { number: HEAD + 2 });
    await stream.upTo(2);
    await removeFrom(HEAD + 1);
    await sleep(150);
    await add({ number: HEAD + 1 }, { number: HEAD + 2 }, { number: HEAD + 3 });
    const last = (await stream.upTo(3)).at(-1);
    expect(last?.data?.newBlock).toEqual({ block: seen(HEAD + 3), replaced: [] });
  });

  it("arrives at once at a client that takes compressed answers", async () => {
    const stream = await subscribe(BLOCKS, { "accept-encoding": "gzip, br" });
    await add({ number: HEAD + 1 });
    expect(await stream.upTo(1)).toHaveLength(1);
  });
});

describe("balanceChanged", () => {
  it("sends what each account has at the end of each block that changes it", async () => {
    const stream = await subscribe(balancesOf(ALICE, BOB.toUpperCase().replace("0X", "0x")));
    await add(
      {
        number: HEAD + 1,
        transfers: [
          { from: ALICE, to: BOB, amount: 300n },
          { from: BOB, to: CAROL, amount: 100n },
        ],
      },
      { number: HEAD + 2 },
      { number: HEAD + 3, transfers: [{ from: ALICE, to: CAROL, amount: 9n }] },
    );
    const changes = (await stream.upTo(3)).map(({ data }) => data?.balanceChanged);
    const event = (i: number, account: string, [balance, delta]: readonly [bigint, bigint]) => ({
      ...{ block: { number: HEAD + i, hash: hashOf(HEAD + i) }, token: { address: PLAIN, symbol: "T01" }, account },
      ...{ balance: `${balance}`, balanceDecimal: expect.any(String), delta: `${delta}`, isCorrection: false },
    });
    expect(changes).toEqual([
      event(1, ALICE, [1_499_699n, -300n]),
      event(3, ALICE, [1_499_690n, -9n]),
      event(1, BOB, [200n, 200n]),
    ]);
    const { body } = await gateway.get(`/balances/${PLAIN}?blockNumber=${HEAD + 3}&users=${ALICE},${BOB}`);
    expect((body.results as { total: number }[]).map(({ total }) => total)).toEqual([1.49969, 0.0002]);
  });

  it("takes back what was sent with a replaced block", async () => {
    const stream = await subscribe(balancesOf(ALICE, BOB));
    await add({ number: HEAD + 1, transfers: [{ from: ALICE, to: BOB, amount: 300n }] });
    await stream.upTo(2);
    await removeFrom(HEAD + 1);
    await add({ number: HEAD + 1, fork: 1, transfers: [{ from: ALICE, to: CAROL, amount: 1n }] });
    const sent = (await stream.upTo(4)).slice(2).map(({ data }) => data?.balanceChanged);
    expect(sent).toMatchObject([
      { block: { hash: hashOf(HEAD + 1, 1) }, account: ALICE, balance: "1499998", delta: "-1", isCorrection: true },
      { block: { hash: hashOf(HEAD + 1, 1) }, account: BOB, balance: "0", delta: "0", isCorrection: true },
    ]);
  });

  it("takes back what was sent of a block whose logs a node had left out", async () => {
    const [stream, blocks] = [await subscribe(balancesOf(ALICE, BOB)), await subscribe(BLOCKS)];
    await add({ number: HEAD + 1, transfers: [{ from: ALICE, to: BOB, amount: 300n }] });
    await stream.upTo(2);
    await removeFrom(HEAD + 1);
    await add({ number: HEAD + 1, transfers: [300n, 5n].map((amount) => ({ from: ALICE, to: BOB, amount })) });
    const sent = (await stream.upTo(4)).slice(2).map(({ data }) => data?.balanceChanged);
    expect(sent).toMatchObject([
      { block: { hash: hashOf(HEAD + 1) }, account: ALICE, balance: "1499694", delta: "-305", isCorrection: true },
      { block: { hash: hashOf(HEAD + 1) }, account: BOB, balance: "305", delta: "305", isCorrection: true },
    ]);
    const [, again] = await blocks.upTo(2);
    expect(again?.data?.newBlock).toEqual({ block: seen(HEAD + 1), replaced: [seen(HEAD + 1)] });
  });

  it("takes back what a subscriber has read itself of a block that was there when it came", async () => {
    await add({ number: HEAD + 1, transfers: [{ from: ALICE, to: BOB, amount: 300n }] });
    const stream = await subscribe(balancesOf(BOB));
    const { body } = await gateway.get(`/balances/${PLAIN}?blockNumber=${HEAD + 1}&users=${BOB}`);
    expect((body.results as { total: number }[]).map(({ total }) => total)).toEqual([0.0003]);
    for (const fork of [1, 2]) {
      await removeFrom(HEAD + 1);
      await add({ number: HEAD + 1, fork });
      const sent = (await stream.upTo(fork)).map(({ data }) => data?.balanceChanged);
      expect(sent.at(-1)).toMatchObject({
        block: { hash: hashOf(HEAD + 1, fork) },
        account: BOB,
        balance: "0",
        isCorrection: true,
      });
    }
  });

  it("ends with a reason where the token's balances become unknown, and for nobody else", async () => {
    const [stream, blocks] = [await subscribe(balancesOf(ALICE, BOB)), await subscribe(BLOCKS)];
    await add({ number: HEAD + 1, transfers: [{ from: ALICE, to: BOB, amount: 300n }] });
    await stream.upTo(2);
    await add({ number: HEAD + 2, transfers: [{ from: BOB, to: ALICE, amount: 301n }] });
    expect(await settles(() => stream.isComplete)).toBe(true);
    expect([stream.results.length, codeOf(stream)]).toEqual([3, "TOKEN_NOT_STANDARD"]);
    expect((await blocks.upTo(2)).map(({ errors }) => errors)).toEqual([undefined, undefined]);
    expect(blocks.isComplete).toBe(false);
  });

  it.each([
    ["an unknown token", balancesOf(ALICE).replace(PLAIN, UNKNOWN), "TOKEN_NOT_TRACKED"],
    ["a token whose ledger has broken", balancesOf(ALICE).replace(PLAIN, BROKEN), "TOKEN_NOT_STANDARD"],
    ["nobody", balancesOf(), "INVALID_INPUT"],
    ["what is no pool", POOL.replace(PAIR, UNKNOWN), "POOL_NOT_FOUND"],
    ["a chain that is not served", BLOCKS.replace("newBlock", "newBlock(chainId: 1)"), "INVALID_INPUT"],
  ])("refuses %s", async (_, query, code) => {
    const stream = await subscribe(query);
    expect(await settles(() => stream.isComplete)).toBe(true);
    expect([stream.results.length, codeOf(stream)]).toEqual([1, code]);
  });
});

describe("poolChanged", () => {
  it("names blocks with events, and those that have none any more", async () => {
    const stream = await subscribe(POOL);
    await add({ number: HEAD + 1 }, { number: HEAD + 2, syncs: 2 });
    await stream.upTo(1);
    await removeFrom(HEAD + 2);
    await add({ number: HEAD + 2, fork: 1 });
    const events = [10, 11].map((logIndex) => ({ logIndex, kind: "v2_sync" }));
    expect((await stream.upTo(2)).map(({ data }) => data?.poolChanged)).toEqual([
      { block: { number: HEAD + 2, hash: hashOf(HEAD + 2) }, pool: PAIR, events, isCorrection: false },
      { block: { number: HEAD + 2, hash: hashOf(HEAD + 2, 1) }, pool: PAIR, events: [], isCorrection: true },
    ]);
  });
});

describe("a process", () => {
  it("follows the head once for all of its subscribers, and not at all without any", async () => {
    const streams = await Promise.all(Array.from({ length: 30 }, (_, i) => subscribe([BLOCKS, POOL][i % 2] ?? "")));
    // what they began with is read, however busy the machine is
    for (let before = -1; before !== counts.transactions; await sleep(200)) before = counts.transactions;
    const { transactions } = counts;
    await add({ number: HEAD + 1, syncs: 1 });
    await Promise.all(streams.map((stream) => stream.upTo(1)));
    expect(counts.transactions - transactions).toBe(1);
    for (const stream of streams) stream.leave();
    await sleep(150);
    const { statements } = counts;
    await add({ number: HEAD + 2 });
    await sleep(150);
    expect([counts.statements, counts.transactions]).toEqual([statements, transactions + 1]);
  });

  it("lets go of subscribers that leave before they are answered", async () => {
    const { port } = server.address() as AddressInfo;
    const body = JSON.stringify({ query: BLOCKS });
    const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\ncontent-type: application/json\r\n`;
    for (let i = 0; i < 120; i++) {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
      await sleep(i % 8);
      socket.destroy();
    }
    for (let before = -1; before !== counts.transactions; await sleep(300)) before = counts.transactions;
    const { statements } = counts;
    await sleep(300);
    expect(counts.statements).toBe(statements);
  });

  it.each([
    ["poolChanged", POOL],
    ["balanceChanged", balancesOf(ALICE)],
  ])("lets go of its connection before it waits for the feed, which needs one: %s", async (_, query) => {
    const { service } = gateway;
    let lent = 0;
    const lentBefore: number[] = [];
    const connect = async () => {
      lentBefore.push(lent);
      const connection = await service.database.connect();
      lent += 1;
      const release = () => {
        lent -= 1;
        connection.release();
      };
      return Object.create(connection, { release: { value: release } }) as typeof connection;
    };
    // without statements of their own all requests read in transactions
    const app = createApp({ ...service, statements: undefined, database: { ...service.database, connect } }, log, {
      ...{ stopping: stopping.signal, followEveryMs: 60_000 },
    });
    const other = await listen(app, { host: "127.0.0.1", port: 0 });
    try {
      open.push(await openEventStream(`http://127.0.0.1:${(other.address() as AddressInfo).port}`, query));
      await settles(() => lentBefore.length === 2);
      expect(lentBefore).toEqual([0, 0]);
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });

  it("ends a subscriber that does not read, with a reason, and nobody else", async () => {
    const { port } = server.address() as AddressInfo;
    const fields = Array.from({ length: 480 }, (_, i) => `a${i}: hash`).join(" ");
    const body = JSON.stringify({ query: `subscription { newBlock { block { number ${fields} } } }` });
    const slow = connect(port, "127.0.0.1");
    slow.pause();
    slow.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const fast = await subscribe(BLOCKS);
    await sleep(150);
    const most = 2 * MOST_WAITING;
    for (let i = 1; i <= most; i += 32)
      await add(...Array.from({ length: 32 }, (_, j) => ({ number: HEAD + i + j }))).then(() => fast.upTo(i + 31));
    expect(fast.results).toHaveLength(most);
    let text = "";
    slow.on("data", (chunk) => {
      text += chunk;
    });
    slow.resume();
    expect(await settles(() => text.includes("event: complete"))).toBe(true);
    const numbers = [...text.matchAll(/"block":\{"number":(\d+)/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from(numbers, (_, i) => HEAD + 1 + i));
    expect(numbers.length).toBeGreaterThanOrEqual(MOST_WAITING);
    expect(numbers.length).toBeLessThan(most);
    expect(text.match(/"code":"SUBSCRIBER_TOO_SLOW"/g)).toHaveLength(1);
    expect(fast.isComplete).toBe(false);
    slow.destroy();
  });

  it("has a limited number of subscribers", async () => {
    const feeds = new Feeds({ service: gateway.service, log });
    const all = await Promise.all(Array.from({ length: MOST_SUBSCRIBERS }, () => feeds.blocks(undefined)));
    await expect(feeds.blocks(undefined)).rejects.toMatchObject({ code: "OVERLOADED" });
    await all[0]?.return();
    all[0] = await feeds.blocks(undefined);
    expect(feeds.open).toBe(MOST_SUBSCRIBERS);
    for (const queue of all) await queue.return();
    expect(feeds.open).toBe(0);
  });

  it("ends subscriptions when blocks were skipped, and when it stops", async () => {
    const skipped = await subscribe(BLOCKS);
    await add(...Array.from({ length: 501 }, (_, i) => ({ number: HEAD + 1 + i })));
    expect(await settles(() => skipped.isComplete)).toBe(true);
    expect(codeOf(skipped)).toBe("BLOCKS_SKIPPED");
    const stream = await subscribe(BLOCKS);
    stopping.abort();
    expect(await settles(() => stream.isComplete)).toBe(true);
    expect(codeOf(stream)).toBe("SERVER_STOPPING");
    const late = await subscribe(BLOCKS);
    expect(await settles(() => late.isComplete)).toBe(true);
    expect(codeOf(late)).toBe("SERVER_STOPPING");
  });
});
