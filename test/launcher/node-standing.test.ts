// A node that is behind what is final, or has another branch in its place; and the index that is made again afterwards.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { PublicClient } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createChainWatch } from "../../fold/node/chain-watch.ts";
import { followHead } from "../../fold/node/head-follower.ts";
import { exitCodeOf } from "../../fold/process/exit-code.ts";
import { deploymentDdl } from "../../fold/tables.ts";
import { awaitStanding } from "../../launcher/ponder/node-standing.ts";
import { claimRun } from "../../launcher/process/run-record.ts";
import { HopelessError } from "../../launcher/process/supervised-child.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const CHAIN = 31337;
const S = "facts_31337_abc";
const FINAL = 70;
const FORK = 41;
let database: TestDatabase;
let sql: postgres.Sql;
let server: Server;
let rpcUrl: string;
/** Of the node: its head, and the first block of another branch than ours, if any. */
let node: { head: number; otherFrom: number };

const hashAt = (block: number): string | undefined =>
  block > node.head ? undefined : `${block >= node.otherFrom ? "0xother" : "0x"}${block}`;
const answers: Record<string, (params: unknown[]) => unknown> = {
  eth_blockNumber: () => `0x${node.head.toString(16)}`,
  eth_getBlockByNumber: ([block]) => {
    const hash = hashAt(Number(block));
    return hash === undefined ? null : { hash };
  },
};

beforeAll(async () => {
  database = await startTestDatabase();
  sql = database.sql;
  server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: answers[method]?.(params) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await database.stop();
});

/** Ponder's tables with blocks 0 to 99, final up to 70. */
beforeEach(async () => {
  node = { head: 100, otherFrom: Number.POSITIVE_INFINITY };
  const checkpoint = `${"1070".padStart(10, "0")}${String(CHAIN).padStart(16, "0")}${String(FINAL).padStart(16, "0")}${"9".repeat(33)}`;
  await sql.unsafe(`
    drop schema if exists ${S}, fold_31337_x, ponder_sync, tidemark cascade; ${deploymentDdl}
    create schema ${S};
    create table ${S}.block (number int primary key, hash text, timestamp int);
    insert into ${S}.block select n, '0x' || n, 1000 + n from generate_series(0, 99) n;
    create table ${S}._ponder_checkpoint (chain_id int8 primary key, finalized_checkpoint varchar(75));
    insert into ${S}._ponder_checkpoint values (${CHAIN}, '${checkpoint}')`);
});

const stops = () => sql`select block, ours, theirs, fork from tidemark.chain_stop where chain_id = ${CHAIN}`;
const indexed = { chainId: CHAIN, ponderSchema: S };

describe("before Ponder starts, the node", () => {
  const check = () => awaitStanding(sql, { ...indexed, rpcUrl }, 0);

  it("must have what is final, and finality above it", async () => {
    await check();
    node.head = 99;
    await expect(check()).rejects.toThrow("the node is at block 99, but block 70 is final here: waiting for block 100");
    node.head = 30;
    await expect(check()).rejects.toThrow(/waiting for block 100/);
    expect(await stops()).toHaveLength(0);
  });

  it("must not have another branch below the final block: the start ends then, and the last common block is recorded", async () => {
    node.otherFrom = FORK + 1;
    const found: unknown = await check().catch((error: unknown) => error);
    expect(found).toBeInstanceOf(HopelessError);
    expect(String(found)).toMatch(/replaced block 70, which was final.*above block 41.*npm run reset/);
    expect(await stops()).toEqual([{ block: FINAL, ours: "0x70", theirs: "0xother70", fork: FORK }]);
  });

  it("may be another chain from the first block on: no block is then said to be shared, wherever the index begins", async () => {
    await sql.unsafe(`delete from ${S}.block where number < 20`);
    node.otherFrom = 0;
    await expect(check()).rejects.toThrow(/which was final.*: all facts are of a branch that is gone/);
    expect(await stops()).toEqual([{ block: FINAL, ours: "0x70", theirs: "0xother70", fork: -1 }]);
  });

  it("may have another branch above the final block: Ponder follows by itself", async () => {
    node.otherFrom = FINAL + 1;
    await check();
    expect(await stops()).toHaveLength(0);
  });

  it("has nothing to show for tables that are not there", async () => {
    await sql.unsafe(`drop schema ${S} cascade`);
    await check();
  });
});

describe("while the fold runs", () => {
  const watch = () =>
    createChainWatch(sql, {
      indexed,
      node: { head: async () => node.head, hashAt: async (block) => hashAt(block) },
      pauseMs: 0,
    });

  it("one strange answer proves nothing, three do", async () => {
    const poll = watch();
    expect(await poll()).toBeUndefined();
    for (const otherFrom of [10, 10, 1_000, 10, 10]) {
      node.otherFrom = otherFrom;
      expect(await poll()).toBeUndefined();
    }
    expect(await poll()).toMatch(/above block 9 are of a branch that is gone/);
    expect(await stops()).toHaveLength(1);
    node.otherFrom = 1_000;
    expect(await watch()()).toBeUndefined();
    expect(await stops()).toHaveLength(0);
  });

  it("the chain is checked again in time, although the clock was an hour ahead for a moment", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const now = Date.now();
    vi.setSystemTime(now + 3_600_000);
    let polls = 0;
    const count = async (block: number) => {
      polls += 1;
      return hashAt(block);
    };
    const poll = createChainWatch(sql, {
      indexed,
      node: { head: async () => node.head, hashAt: count },
      pauseMs: 10,
    });
    await poll();
    vi.setSystemTime(now);
    await vi.waitFor(async () => {
      await poll();
      expect(polls).toBe(2);
    }, 60_000);
    vi.useRealTimers();
  });

  it("a chain cut short below what is final is found out before it has grown again", async () => {
    node = { head: 60, otherFrom: 50 };
    const poll = watch();
    await poll();
    await poll();
    expect(await poll()).toMatch(/replaced block 60/);
    expect(await stops()).toEqual([{ block: 60, ours: "0x60", theirs: "0xother60", fork: 49 }]);
  });

  it("a node that is merely behind has replaced nothing", async () => {
    node.head = 60;
    const poll = watch();
    for (let i = 0; i < 4; i++) expect(await poll()).toBeUndefined();
  });

  it("a head far above all others counts when the node shows that block", async () => {
    const shown = new Set<number>([100]);
    const poll = async (head: number) => {
      const client = {
        getBlockNumber: async () => BigInt(head),
        getBlock: async ({ blockNumber }: { blockNumber: bigint }) => {
          if (!shown.has(Number(blockNumber))) throw new Error(`Block ${blockNumber} could not be found.`);
        },
      };
      await followHead(sql, { client: client as unknown as PublicClient, chainId: CHAIN });
      const [row] = await sql`select chain_head, highest_head, rpc_error from tidemark.chain_head`;
      return [row?.chain_head, row?.highest_head, row?.rpc_error];
    };
    expect(await poll(100)).toEqual([100, 100, null]);
    expect(await poll(120)).toEqual([120, 120, null]);
    expect(await poll(1_000_000)).toEqual([120, 120, "Block 1000000 could not be found."]);
    shown.add(1_000_000);
    expect(await poll(1_000_000)).toEqual([1_000_000, 1_000_000, null]);
    expect(await poll(90)).toEqual([90, 1_000_000, null]);
  });

  it("a database that is away is no reason to give the fold up", () => {
    const lost = (code: string) => exitCodeOf(Object.assign(new Error("x"), { code }));
    const answering = ["57P03", "CONNECTION_CLOSED", "08006", "53100", "ETIMEDOUT"];
    const unreached = ["ECONNREFUSED", "CONNECT_TIMEOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"];
    expect([...answering, ...unreached].filter((code) => lost(code) !== 75)).toEqual([]);
    expect([lost("42601"), exitCodeOf(new Error("x"))]).toEqual([1, 1]);
  });
});

describe("npm run reset", () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "tidemark-test-"));
    writeFileSync(join(home, "chain.json"), JSON.stringify(chainFixture({ chainId: CHAIN, startBlock: 0 })));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  async function reset(): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "launcher/reset.ts"], {
      env: {
        ...process.env,
        CHAIN: join(home, "chain.json"),
        RPC_URL: rpcUrl,
        DATABASE_URL: database.url,
        TIDEMARK_DATA: home,
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, output };
  }

  it("drops what was indexed of the chain and nothing else, but not under a running indexer", async () => {
    await sql.unsafe(`
      create schema if not exists facts_80094_z; create schema fold_31337_x; create schema ponder_sync;
      create table ponder_sync.intervals (chain_id int8); create table ponder_sync.blocks (chain_id int8);
      insert into ponder_sync.blocks values (${CHAIN}), (80094);
      insert into tidemark.chain_stop values (${CHAIN}, 70, '0x70', '0xother70', 41)`);
    const fold = postgres(database.url, { max: 1 });
    await fold`select pg_advisory_lock(hashtext('tidemark fold_31337_x'))`;
    expect(await reset()).toMatchObject({
      code: 1,
      output: expect.stringContaining("the fold of chain 31337 still runs"),
    });
    await fold.end({ timeout: 1 });
    const { code, output } = await reset();
    expect(output).toMatch(/dropped .*facts_31337_abc.*ponder_sync/);
    expect(code).toBe(0);
    const left = await sql`select nspname from pg_namespace where nspname ~ '^(facts|fold)_' order by 1`;
    expect(left.map(({ nspname }) => nspname)).toEqual(["facts_80094_z"]);
    expect(await sql`select chain_id::int from ponder_sync.blocks`).toEqual([{ chain_id: 80094 }]);
    expect(await stops()).toHaveLength(0);
    await sql.unsafe("drop schema facts_80094_z cascade");
  });

  it("drops a chain beside a run of others on the same folder, in its database; one that the run serves has to be stopped first", async () => {
    const { run } = await claimRun(home);
    try {
      const busy = expect.stringMatching(/^reset: Tidemark is already running on .*stop it first/);
      expect(await reset()).toMatchObject({ code: 1, output: busy });
      const addresses = { databaseUrl: database.url, chain: "other", gatewayUrl: "http://127.0.0.1:1" };
      run.publish({ ...addresses, rpcUrls: { "5": rpcUrl, [CHAIN]: rpcUrl } });
      expect(await reset()).toMatchObject({ code: 1, output: busy });
      run.publish({ ...addresses, rpcUrls: { "5": rpcUrl } });
      expect(await reset()).toMatchObject({ code: 0, output: expect.stringMatching(/dropped .*facts_31337_abc/) });
    } finally {
      run.release();
    }
  });
});
