// The v3 state that the fold keeps of the seeded devnet, against the contracts: at random blocks and at the first and
// last one of every pool, all numbers. V3_STATE_BLOCKS=2000 compares more.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReservedSql } from "postgres";
import { type Address, createPublicClient, http, type PublicClient } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadChain } from "../chains/load.ts";
import { seedRandom } from "../devnet/scenario/random.ts";
import { type SeededDevnet, startSeededDevnet } from "../devnet/scenario/seeded.ts";
import { foldSchemaName } from "../fold/fold-schema.ts";
import { quoted } from "../fold/tables.ts";
import { Part } from "../verify/faults/part.ts";
import { freePort } from "./core/free-port.ts";
import { type Indexer, startIndexer } from "./facts-indexer.ts";
import { readSpans } from "./fold/v3-states.ts";
import { startTestDatabase, type TestDatabase } from "./support/test-database.ts";
import { compareWithChain, type PoolInfo, type StoredHistory } from "./v3-chain-state.ts";

const RANDOM_BLOCKS = Number(process.env.V3_STATE_BLOCKS ?? 200);
/** Every so many blocks also everything that must not be there. */
const WHOLE_EVERY = 10;

let devnet: SeededDevnet;
let database: TestDatabase;
let indexer: Indexer;
let fold: Part;
let folder: string;
let db: ReservedSql;
let schema: string;
let watermark: number;
let client: PublicClient;
let history: StoredHistory;

/** The watermark, once the fold has taken all that is final. */
async function folded(head: number): Promise<number> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(200)) {
    const [live] = await db`select to_regclass(${`${quoted(schema)}.meta`}) is not null as there`;
    const [meta] = live?.there ? await db.unsafe(`select watermark from ${quoted(schema)}.meta`) : [];
    // what is final ends at most two steps of 30 blocks below the head
    if (meta && meta.watermark > head - 62) return meta.watermark;
    if (!fold.isRunning) throw new Error(`the fold ended: ${fold.lines.slice(-5).join("\n")}`);
  }
  throw new Error(`not folded in time: ${fold.lines.slice(-5).join("\n")}`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-v3-"));
  [devnet, database] = await Promise.all([startSeededDevnet({ port: await freePort() }), startTestDatabase()]);
  const { rpcUrl } = devnet;
  const place = { folder: join(folder, "facts"), sql: database.sql, databaseUrl: database.url };
  indexer = startIndexer({ chain: loadChain("devnet"), ...place, rpcUrl, port: await freePort() });
  const env = { DATABASE_URL: database.url, RPC_URL: rpcUrl, CHAIN: "devnet", PONDER_SCHEMA: indexer.schema };
  fold = new Part({ name: "fold", command: ["fold/main.ts"], env, logFolder: folder, isSupervised: false });
  fold.start();
  schema = foldSchemaName(indexer.schema);
  db = await database.sql.reserve();
  const { number, hash } = await devnet.chain.client.getBlock();
  await indexer.waitFor({ number: Number(number), hash });
  watermark = await folded(Number(number));
  client = createPublicClient({ transport: http(rpcUrl, { timeout: 60_000 }) });
  const pools = await db.unsafe(`
    select '0x' || encode(address, 'hex') as address, flavour, '0x' || encode(token0, 'hex') as token0,
           '0x' || encode(token1, 'hex') as token1, fee, created_block, stopped_block from ${quoted(schema)}.v3_pool`);
  const infos = pools.map(
    ({ created_block, ...pool }) => ({ ...pool, createdBlock: created_block }) as unknown as PoolInfo,
  );
  history = { pools: new Map(infos.map((pool) => [pool.address, pool])), spans: await readSpans(db, schema) };
}, 600_000);

afterAll(async () => {
  db?.release();
  await fold?.kill();
  await indexer?.stop();
  await Promise.all([devnet?.stop(), database?.stop()]);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** First and last block with a row of each pool, and random ones between. */
function blocksToCompare(): number[] {
  const random = seedRandom("v3-state");
  const blocks = new Set<number>([watermark]);
  for (const { address, createdBlock } of history.pools.values()) {
    const own = history.spans.filter(({ key }) => key.split(" ")[1] === address).map(({ from }) => from);
    for (const block of [createdBlock, Math.min(...own), Math.max(...own)]) blocks.add(block);
  }
  for (const wanted = blocks.size + Math.min(RANDOM_BLOCKS, watermark - blocks.size); blocks.size < wanted; )
    blocks.add(random.between(1, watermark));
  return [...blocks].sort((a, b) => a - b);
}

describe("the v3 state of the seeded devnet", () => {
  test("has no pool that stopped, and pools of both flavours", async () => {
    const stopped = await db.unsafe(`select * from ${quoted(schema)}.v3_pool where stopped_block is not null`);
    expect(stopped).toEqual([]);
    const flavours = [...history.pools.values()].map(({ flavour }) => flavour);
    expect(flavours.filter((flavour) => flavour === "kodiak").length).toBeGreaterThanOrEqual(2);
    expect(flavours.filter((flavour) => flavour === "uniswap").length).toBeGreaterThanOrEqual(2);
  });

  test("knows what every kodiak pool began with from its own slot0", async () => {
    const rows = await db.unsafe(`
      select '0x' || encode(p.address, 'hex') as address, f.read_at_block, f.source, p.initial_fee_protocol0,
             p.initial_fee_protocol1 from ${quoted(schema)}.v3_pool p join ${quoted(schema)}.v3_pool_fee f using (address)`);
    expect(rows.length).toBeGreaterThanOrEqual(2);
    for (const row of rows) {
      expect(row).toMatchObject({ initial_fee_protocol0: 3500, initial_fee_protocol1: 3500 });
      expect(["slot0", "event"]).toContain(row.source);
      expect(history.pools.get(row.address as Address)?.flavour).toBe("kodiak");
    }
  });

  test(
    "is the contracts' at every block asked: pools, ticks, positions, token ids",
    async () => {
      const blocks = blocksToCompare();
      const compared: Record<string, number> = {};
      for (const [index, block] of blocks.entries()) {
        const verdict = await compareWithChain(client, history, { block, isWhole: index % WHOLE_EVERY === 0 });
        expect(verdict.differences.slice(0, 20)).toEqual([]);
        for (const [what, count] of Object.entries(verdict.compared)) compared[what] = (compared[what] ?? 0) + count;
      }
      const total = Object.values(compared).reduce((sum, count) => sum + count, 0);
      const counts = Object.entries(compared).map(([what, count]) => `${what} ${count}`);
      console.log(`${blocks.length} blocks, ${total} numbers, 0 differences: ${counts.join(", ")}`);
      expect(blocks.length).toBeGreaterThanOrEqual(Math.min(RANDOM_BLOCKS, 200));
      for (const what of [
        "slot0",
        "liquidity",
        "feeGrowthGlobal",
        "protocolFees",
        "ticks",
        "pool positions",
        "token ids",
      ])
        expect(compared[what], what).toBeGreaterThan(blocks.length);
      expect(compared["ticks that are not"]).toBeGreaterThan(0);
      expect(compared["token ids that are not"]).toBeGreaterThan(0);
    },
    RANDOM_BLOCKS * 1_500 + 120_000,
  );
});
