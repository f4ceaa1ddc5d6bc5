// What a kodiak pool begins with: read at its first block and of that very branch, or given by an event; the chain file
// speaks only for a node that has lost that state.
import { createPublicClient, custom, HttpRequestError, type PublicClient, RpcRequestError, TimeoutError } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { V3PoolCreatedRow } from "../../core/v3/fact-rows.ts";
import { foldTablesDdl } from "../../fold/tables.ts";
import { createInitialFeeReader } from "../../fold/v3/initial-fees.ts";
import { createFactTables, hashOf, insertBlocks } from "../support/index-fixture.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { DEPLOYMENTS } from "./random-v3-history.ts";
import { insertV3Facts, insertV3Pools } from "./v3-fact-tables.ts";

const SCHEMAS = { ponder: "facts_fees", fold: "fold_fees" };
const POOL = `0xbb${"0".repeat(37)}1`;
const BLOCK = 5;
const HEAD = 9;

let database: TestDatabase;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database?.stop());

const [, kodiak] = DEPLOYMENTS;

beforeEach(async () => {
  const { sql } = database;
  await sql.unsafe(`drop schema if exists ${SCHEMAS.ponder} cascade; drop schema if exists ${SCHEMAS.fold} cascade`);
  await createFactTables(sql, SCHEMAS.ponder);
  await insertBlocks(sql, SCHEMAS.ponder, { from: 0, to: HEAD });
  await sql.unsafe(foldTablesDdl(SCHEMAS.fold));
  await sql.unsafe(`insert into ${SCHEMAS.fold}.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, finalized, head)
    values (1, '${SCHEMAS.ponder}', 'fixture', 0, 0, 3, 3)`);
  const created: V3PoolCreatedRow = {
    block: 2,
    log_index: 0,
    factory: kodiak!.factory,
    pool: POOL,
    token0: "0xc0",
    token1: "0xc1",
    fee: 500,
    tick_spacing: 10,
  };
  await insertV3Pools(sql, SCHEMAS.ponder, [created]);
  const fact = { kind: "initialize", pool: POOL, block: BLOCK, logIndex: 1, txIndex: 0 } as const;
  await insertV3Facts(sql, SCHEMAS.ponder, [{ contract: POOL, fact: { ...fact, sqrtPriceX96: 1n << 96n, tick: 0 } }]);
});

const slot0 = (packed: number): string =>
  `0x${[1n << 96n, 0n, 0n, 1n, 1n, BigInt(packed), 1n].map((word) => word.toString(16).padStart(64, "0")).join("")}`;

interface Node {
  /** slot0 of the block with this hash; absent: the node takes no hashes. */
  byHash?: (hash: string) => string;
  byNumber?: (block: number) => string;
  latest?: () => string;
  hashOfBlock?: string;
}

const fails = (message: string) => (): never => {
  throw new Error(message);
};

function clientOf({ byHash, byNumber, latest, hashOfBlock }: Node): { client: PublicClient; calls: string[] } {
  const calls: string[] = [];
  const slotAt = (at: unknown): string => {
    if (typeof at === "object" && at !== null && "blockHash" in at)
      return (byHash ?? fails("cannot unmarshal object into a block number"))(String(at.blockHash));
    return at === "latest" ? (latest ?? fails("down"))() : (byNumber ?? fails("missing trie node"))(Number(at));
  };
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    calls.push(method);
    if (method === "eth_call") return slotAt((params as unknown[])[1]);
    if (method === "eth_getBlockByNumber") return { hash: hashOfBlock };
    if (method === "eth_blockNumber" && latest) return "0x9";
    throw new Error("down");
  };
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
  return { client: client as PublicClient, calls };
}

interface Turn {
  stored: number;
  warnings: string[];
  calls: string[];
}

async function readOnce(node: Node): Promise<Turn> {
  const { client, calls } = clientOf(node);
  const warnings: string[] = [];
  const options = { deployments: DEPLOYMENTS, warn: (_: string, { pool }: { pool: string }) => warnings.push(pool) };
  const db = await database.sql.reserve();
  try {
    const stored = await createInitialFeeReader({ db, client }, SCHEMAS, options)();
    await db.unsafe(`update ${SCHEMAS.fold}.v3_pool_fee_retry set next_try = now() - interval '1 second'`);
    return { stored, warnings, calls };
  } finally {
    db.release();
  }
}

const fees = () =>
  database.sql.unsafe(
    `select '0x' || encode(address, 'hex') as pool, fee_protocol0, fee_protocol1, read_at_block, block_hash, source
       from ${SCHEMAS.fold}.v3_pool_fee`,
  );
const retries = () =>
  database.sql.unsafe(`select attempts, last_error from ${SCHEMAS.fold}.v3_pool_fee_retry order by since`);

const refusal = (error: { code: number; message: string }) =>
  new RpcRequestError({ body: {}, error, url: "http://node" });

const PACKED = 3500 + 2500 * 65_536;
const READ = { pool: POOL, fee_protocol0: 3500, fee_protocol1: 2500, read_at_block: BLOCK, block_hash: hashOf(BLOCK) };

describe("the initial protocol fee of a kodiak pool", () => {
  it("is read from the pool at the block of its Initialize, once", async () => {
    const node = { byHash: (hash: string) => (hash === hashOf(BLOCK) ? slot0(PACKED) : slot0(1)) };
    expect((await readOnce(node)).stored).toBe(1);
    expect(await fees()).toEqual([{ ...READ, source: "slot0" }]);
    expect((await readOnce(node)).calls).toEqual([]);
  });

  it("is read by number where the node takes no hash, if the block is the same", async () => {
    const byNumber = (block: number) => (block === BLOCK ? slot0(PACKED) : slot0(1));
    expect((await readOnce({ byNumber, hashOfBlock: hashOf(BLOCK, 1) })).stored).toBe(0);
    expect(await retries()).toEqual([{ attempts: 1, last_error: "the node has another block 5 than the facts" }]);
    expect((await readOnce({ byNumber, hashOfBlock: hashOf(BLOCK) })).stored).toBe(1);
    expect(await fees()).toEqual([{ ...READ, source: "slot0" }]);
    expect(await retries()).toEqual([]);
  });

  it("is what the first SetFeeProtocol of the same block replaced, when there is one", async () => {
    const setting = { feeProtocol0Old: 3500, feeProtocol1Old: 2500, feeProtocol0New: 1000, feeProtocol1New: 0 };
    const place = { pool: POOL, block: BLOCK, logIndex: 3, txIndex: 0 };
    const later = { feeProtocol0Old: 1000, feeProtocol1Old: 0, feeProtocol0New: 0, feeProtocol1New: 0 };
    await insertV3Facts(database.sql, SCHEMAS.ponder, [
      { contract: POOL, fact: { kind: "setFeeProtocol", ...place, ...setting } },
      { contract: POOL, fact: { kind: "setFeeProtocol", ...place, logIndex: 4, ...later } },
    ]);
    const { stored, calls } = await readOnce({ byHash: () => slot0(1000) });
    expect([stored, calls]).toEqual([1, []]);
    expect(await fees()).toEqual([{ ...READ, source: "event" }]);
  });

  it("is read again when the pool's first block was reorganised", async () => {
    await readOnce({ byHash: () => slot0(1) });
    await database.sql.unsafe(
      `update ${SCHEMAS.ponder}.block set hash = '${hashOf(BLOCK, 1)}' where number = ${BLOCK}`,
    );
    expect((await readOnce({ byHash: () => slot0(PACKED) })).stored).toBe(1);
    expect(await fees()).toContainEqual({ ...READ, block_hash: hashOf(BLOCK, 1), source: "slot0" });
  });

  it("comes from the chain file, with a warning, once a healthy node has failed four times", async () => {
    const pruned = { latest: () => slot0(0) };
    for (const attempts of [1, 2, 3]) {
      expect((await readOnce(pruned)).stored).toBe(0);
      expect(await retries()).toMatchObject([{ attempts, last_error: expect.stringContaining("missing trie node") }]);
    }
    const { stored, warnings } = await readOnce(pruned);
    expect([stored, warnings]).toEqual([1, [POOL]]);
    expect(await fees()).toEqual([{ ...READ, fee_protocol1: 3500, source: "chain-file" }]);
  });

  it("comes from the chain file, too, where a node that has the block never answers for the pool", async () => {
    const silent = { latest: fails("execution reverted") };
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await readOnce(silent)).stored).toBe(0);
    expect((await readOnce(silent)).stored).toBe(1);
    expect(await fees()).toMatchObject([{ source: "chain-file" }]);
  });

  it.each([
    ["refuses for now", () => new HttpRequestError({ status: 429, url: "http://node" })],
    ["says so in JSON-RPC", () => refusal({ code: -32_005, message: "too many requests" })],
    ["says so by another code", () => refusal({ code: 429, message: "Your app has exceeded its capacity" })],
    ["is too slow", () => new TimeoutError({ body: {}, url: "http://node" })],
    ["says that it is", () => refusal({ code: -32_002, message: "request timed out" })],
    ["is not reached", () => new HttpRequestError({ url: "http://node", details: "ECONNRESET" })],
  ])("is not guessed where the node %s, however often", async (_, made) => {
    const refuse = (): never => {
      throw made();
    };
    for (let attempt = 0; attempt < 6; attempt += 1)
      expect((await readOnce({ byHash: refuse, byNumber: refuse, latest: () => slot0(0) })).stored).toBe(0);
    // nor do these count towards the four after which it is guessed
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await readOnce({ latest: () => slot0(0) })).stored).toBe(0);
    expect((await readOnce({ byHash: () => slot0(PACKED) })).stored).toBe(1);
    expect(await fees()).toEqual([{ ...READ, source: "slot0" }]);
  });

  it("is not guessed because a node behind, or on another branch, failed before", async () => {
    const [behind, elsewhere] = [
      {},
      { byNumber: () => slot0(1), hashOfBlock: hashOf(BLOCK, 1), latest: () => slot0(0) },
    ];
    for (const node of [behind, behind, elsewhere, elsewhere]) expect((await readOnce(node)).stored).toBe(0);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await readOnce({ latest: () => slot0(0) })).stored).toBe(0);
    expect((await readOnce({ latest: () => slot0(0) })).stored).toBe(1);
    expect(await fees()).toMatchObject([{ source: "chain-file" }]);
  });

  it("is tried as often again of another branch of the chain", async () => {
    const pruned = { latest: () => slot0(0) };
    for (let attempt = 0; attempt < 3; attempt += 1) await readOnce(pruned);
    const other = hashOf(BLOCK, 1);
    await database.sql.unsafe(`update ${SCHEMAS.ponder}.block set hash = '${other}' where number = ${BLOCK}`);
    expect((await readOnce(pruned)).stored).toBe(0);
    expect(await retries()).toMatchObject([{ attempts: 3 }, { attempts: 1 }]);
  });

  it("is never guessed while the node is down", async () => {
    for (let attempt = 0; attempt < 8; attempt += 1) expect((await readOnce({})).stored).toBe(0);
    expect(await fees()).toEqual([]);
    expect(await retries()).toMatchObject([{ attempts: 8 }]);
  });
});
