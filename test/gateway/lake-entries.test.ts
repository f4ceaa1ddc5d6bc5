// GET /balances whole from the history lake: the same bytes as PostgreSQL's, whatever becomes of the lake and of its process.
import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lakeAnswers } from "../../gateway/metrics/instruments.ts";
import { LakeEntries } from "../../gateway/sql/lake-entries.ts";
import { createSqlServer } from "../../sql/server.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, type Index } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const CHAIN_ID = 31337;
const TOKEN = tokenOf(1);
/** More than are left to PostgreSQL. */
const HOLDERS = 21_000;
const MINTED_AT = 101;
const HEAD = 112;

const amountOf = (i: number): bigint => BigInt((i * 7919) % 9973) * 10n ** 15n + BigInt(1 + (i % 5));

/** Everybody gets some at two blocks, which fill a segment each, and a few give all of it away. */
const facts: Fact[] = [
  ...[MINTED_AT, 104].flatMap((block) =>
    Array.from({ length: HOLDERS }, (_, i): Fact => {
      const to = accountOf(i + 1);
      return { kind: "transfer", block, logIndex: i, token: TOKEN, from: ZERO, to, amount: amountOf(i) };
    }),
  ),
  ...[102, 103].map((block, i): Fact => {
    const move = { from: accountOf(i + 1), to: accountOf(9_000), amount: amountOf(i) };
    return { kind: "transfer", block, logIndex: 0, token: TOKEN, ...move };
  }),
].sort((one, other) => one.block - other.block || one.logIndex - other.logIndex);

const index: Index = {
  ...{ chainId: CHAIN_ID, ponderSchema: "facts_large", foldSchema: "fold_large", facts, decimals: { [TOKEN]: 18 } },
  ...{ firstBlock: 100, head: HEAD, watermark: HEAD - 1 },
};

let database: TestDatabase;
let made: TestLake;
let gateway: TestGateway;
let sql: TestSql;
let relay: Relay;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, index);
  made = await makeLake(database.url, {
    ...{ chainId: CHAIN_ID, name: "large" },
    lake: { segmentBlocks: 2, segmentTransfers: 1 },
  });
  gateway = openGateway(database.url, chainFixture({ chainId: CHAIN_ID, startBlock: 100 }));
  sql = await openTestSql({
    ...{ databaseUrl: database.url, chainId: CHAIN_ID, lakeFolder: made.folder, service: gateway.service },
  });
  await sql.rows("select 1 as one");
  const { server } = createSqlServer(sql.runner, { log: pino({ level: "silent" }), onFatal: () => {} });
  server.listen(0, "127.0.0.1");
  relay = await Relay.open(server);
});
afterAll(async () => {
  await relay?.close();
  await sql?.close();
  await gateway?.close();
  made?.remove();
  await database?.stop();
});

/** Passes bytes on to the SQL process, and cuts the way off as the end of that process does. */
class Relay {
  /** Bytes of an answer that still come through; none when undefined. */
  cutAfter = Number.POSITIVE_INFINITY;
  /** Whether nothing comes through, and the way stays open. */
  isSilent = false;
  readonly #own: Server;
  readonly #target: HttpServer;

  private constructor(own: Server, target: HttpServer) {
    this.#own = own;
    this.#target = target;
  }

  static async open(target: HttpServer): Promise<Relay> {
    const own = createTcpServer();
    const relay = new Relay(own, target);
    own.on("connection", (socket) => relay.#pass(socket));
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#own.address() as AddressInfo).port}`;
  }

  #pass(near: Socket): void {
    const far = connect((this.#target.address() as AddressInfo).port, "127.0.0.1");
    let left = this.cutAfter;
    near.pipe(far);
    far.on("data", (bytes) => {
      if (this.isSilent) return;
      near.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) near.destroy();
    });
    far.on("end", () => near.end());
    for (const socket of [near, far]) socket.on("error", () => {});
    near.on("close", () => far.destroy());
  }

  async close(): Promise<void> {
    this.#target.closeAllConnections();
    await Promise.all([this.#own, this.#target].map((one) => new Promise((resolve) => one.close(resolve))));
  }
}

const lakeLast = () => made.manifest.segments.at(-1)?.last ?? -1;

async function whole(block: number): Promise<string> {
  const { status, text } = await gateway.get(`/balances/${TOKEN}?blockNumber=${block}`);
  expect(status).toBe(200);
  return createHash("sha256").update(text).digest("hex");
}

async function fromPostgres(block: number): Promise<string> {
  const { lake, ...service } = gateway.service;
  delete gateway.service.lake;
  try {
    return await whole(block);
  } finally {
    Object.assign(gateway.service, service, lake ? { lake } : {});
  }
}

async function outcomes(): Promise<Record<string, number>> {
  const { values } = await lakeAnswers.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.outcome), value]));
}

beforeEach(() => {
  relay.cutAfter = Number.POSITIVE_INFINITY;
  relay.isSilent = false;
  gateway.service.lake = new LakeEntries(new Map([[CHAIN_ID, relay.url]]), { silenceMs: 2_000 });
  lakeAnswers.reset();
});

describe("all holders of a final block", () => {
  it("are the lake's at every block that it has, with PostgreSQL's bytes", async () => {
    expect(made.manifest.segments.length).toBe(2);
    const blocks = Array.from({ length: lakeLast() - MINTED_AT + 1 }, (_, i) => MINTED_AT + i);
    for (const block of blocks) expect(await whole(block)).toBe(await fromPostgres(block));
    expect(await outcomes()).toEqual({ lake: blocks.length });
  });

  it("are PostgreSQL's at a block that the lake does not have, and the lake is not tried where none is final", async () => {
    expect(lakeLast()).toBeLessThan(HEAD - 1);
    expect(await whole(HEAD - 1)).toBe(await fromPostgres(HEAD - 1));
    expect(await outcomes()).toEqual({ absent: 1 });
    expect(await whole(HEAD)).toBe(await fromPostgres(HEAD));
    expect(await outcomes()).toEqual({ absent: 1 });
  });

  it("are whole when the process ends at any byte of its answer", async () => {
    const expected = await fromPostgres(105);
    for (const cutAfter of [0, 1, 60, 400, 100_000, 1_234_567, 3_000_001]) {
      gateway.service.lake = new LakeEntries(new Map([[CHAIN_ID, relay.url]]));
      relay.cutAfter = cutAfter;
      expect(await whole(105)).toBe(expected);
    }
    const { failed = 0, mended = 0, ...others } = await outcomes();
    expect(others).toEqual({});
    expect(failed).toBeGreaterThan(1);
    expect(mended).toBeGreaterThan(2);
  });

  it("are PostgreSQL's when the process is away or silent, and it is not tried again at once", async () => {
    const expected = await fromPostgres(105);
    relay.isSilent = true;
    expect(await whole(105)).toBe(expected);
    expect(await whole(105)).toBe(expected);
    expect(await outcomes()).toEqual({ failed: 1, paused: 1 });
    gateway.service.lake = new LakeEntries(new Map([[CHAIN_ID, "http://127.0.0.1:1"]]));
    expect(await whole(105)).toBe(expected);
    expect(await outcomes()).toEqual({ failed: 2, paused: 1 });
  });

  it("are PostgreSQL's while a file is not what was verified, and the lake's when it is again", async () => {
    const expected = await fromPostgres(105);
    const segment = made.manifest.segments.find(({ first, last }) => first <= 105 && 105 <= last);
    const path = join(made.folder, segment?.files.find(({ dataset }) => dataset === "holding_open")?.path ?? "");
    const bytes = await readFile(path);
    const place = Math.floor(bytes.length / 2);
    const write = async (byte: number) => {
      const file = await open(path, "r+");
      await file.write(Buffer.of(byte), 0, 1, place);
      await file.close();
    };
    await write((bytes[place] ?? 0) ^ 0x10);
    for (let i = 0; i < 3; i++) expect(await whole(105)).toBe(expected);
    expect(await outcomes()).toEqual({ absent: 3 });
    await write(bytes[place] ?? 0);
    await expect
      .poll(
        async () => {
          expect(await whole(105)).toBe(expected);
          return (await outcomes()).lake ?? 0;
        },
        { timeout: 20_000, interval: 100 },
      )
      .toBeGreaterThan(0);
  });
});
