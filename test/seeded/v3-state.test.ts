// The v3 state that the fold has of the seeded devnet, against the contracts, all numbers: at random blocks that changed
// something and those before, and at the first and last one of every pool. V3_STATE_BLOCKS=2000 compares more.
import type { ReservedSql, Sql } from "postgres";
import type { Address, PublicClient } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { quoted } from "../../fold/tables.ts";
import { compareWithChain, type PoolInfo, type StoredHistory } from "../fold/v3-chain-state.ts";
import { readSpans } from "../fold/v3-states.ts";
import { sized } from "../support/sized.ts";
import { openSeededSql, seeded, seededClient } from "./seeded-index.ts";

const RANDOM_BLOCKS = Number(process.env.V3_STATE_BLOCKS ?? sized({ some: 80, whole: 200 }));
/** At one block of this many, everything that must not be there is read, too. */
const WHOLE_EVERY = 10;

const { foldSchema: schema, finalized } = seeded;
let sql: Sql;
let db: ReservedSql;
let client: PublicClient;
let history: StoredHistory;

beforeAll(async () => {
  sql = openSeededSql();
  db = await sql.reserve();
  client = seededClient();
  const pools = await db.unsafe(`
    select '0x' || encode(address, 'hex') as address, flavour, '0x' || encode(token0, 'hex') as token0,
           '0x' || encode(token1, 'hex') as token1, fee, created_block, stopped_block from ${quoted(schema)}.v3_pool`);
  const infos = pools.map(
    ({ created_block, ...pool }) => ({ ...pool, createdBlock: created_block }) as unknown as PoolInfo,
  );
  history = { pools: new Map(infos.map((pool) => [pool.address, pool])), spans: await readSpans(db, schema) };
});
afterAll(async () => {
  db?.release();
  await sql.end({ timeout: 2 });
});

/** First and last block with a row of each pool, and random ones: between two changes nothing is another number. */
function blocksToCompare(): number[] {
  const random = seedRandom("v3-state");
  const blocks = new Set<number>([finalized]);
  for (const { address, createdBlock } of history.pools.values()) {
    const own = history.spans.filter(({ key }) => key.split(" ")[1] === address).map(({ from }) => from);
    for (const block of [createdBlock, Math.min(...own), Math.max(...own)]) blocks.add(block);
  }
  const changing = [...new Set(history.spans.flatMap(({ from }) => [from, from - 1]))]
    .filter((block) => block > 0 && block <= finalized && !blocks.has(block))
    .sort((a, b) => a - b);
  for (const block of random.sample(changing, RANDOM_BLOCKS)) blocks.add(block);
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
      expect(blocks.length).toBeGreaterThanOrEqual(Math.min(RANDOM_BLOCKS, 60));
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
