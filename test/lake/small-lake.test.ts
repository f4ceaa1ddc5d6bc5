// The lake of a small index written down by hand.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createFactTables, hashOf, insertBlocks, insertFacts, pointAt, writeFold } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const small = { chainId: 31337, name: "small", lake: { segmentBlocks: 2, segmentTransfers: 2 } };

let database: TestDatabase;
let made: TestLake;

beforeAll(async () => {
  database = await startTestDatabase();
  const { sql, url } = database;
  await createFactTables(sql, smallIndex.ponderSchema);
  await insertBlocks(sql, smallIndex.ponderSchema, { from: smallIndex.firstBlock, to: smallIndex.head });
  await insertFacts(sql, smallIndex.ponderSchema, smallIndex.facts);
  await writeFold(sql, smallIndex);
  await pointAt(sql, smallIndex);
  made = await makeLake(url, small);
});
afterAll(async () => {
  made?.remove();
  await database?.stop();
});

it("the lake has the files that a small index gives, under their names", () => {
  const [segment] = made.manifest.segments;
  expect(segment).toMatchObject({ first: 100, last: 101, hash: hashOf(101) });
  expect(segment?.files.map(({ path, rows }) => [path, rows])).toEqual([
    ["block/0000000100-0000000101.parquet", 2],
    ["erc20_transfer/0000000100-0000000101.parquet", 5],
    ["holding_open/0000000100-0000000101.parquet", 10],
    ["tokens/0000000100-0000000101.parquet", 5],
  ]);
});

/** What a lake written now has. */
async function written() {
  const { manifest, waitsFor, remove } = await makeLake(database.url, small);
  remove();
  return { segments: manifest.segments, waitsFor };
}

it("the lake ends below the fork where the chain has replaced final blocks, and has the same bytes up to there", async () => {
  const { sql } = database;
  const replaced = (fork: number) => sql`insert into tidemark.chain_stop values (31337, 107, '0xaa', '0xbb', ${fork})
    on conflict (chain_id) do update set fork = ${fork}`;
  const waitsFor = expect.stringMatching(
    /the chain has replaced block 107, which was final, and blocks after 10\d here/,
  );
  expect(made.waitsFor).toBeUndefined();
  await replaced(102);
  expect(await written()).toEqual({ segments: made.manifest.segments, waitsFor });
  // the block after a segment shows whether an hour has ended: it must be there on both branches
  await replaced(101);
  expect(await written()).toEqual({ segments: [], waitsFor });
  await replaced(-1);
  expect(await written()).toEqual({ segments: [], waitsFor: expect.stringContaining("and all blocks here are of") });
  await sql`delete from tidemark.chain_stop`;
  expect(await written()).toEqual({ segments: made.manifest.segments, waitsFor: undefined });
});

it("the lake ends below the block at which an island waits for its settings, and names what ends it first", async () => {
  const { sql } = database;
  const [whole, island] = [made.manifest.segments, `0x${"15".repeat(20)}`];
  const waits = (block: number) => sql`insert into ${sql(smallIndex.foldSchema)}.island
    (id, address, pool, token0, token1, created_block, created_log, waiting_block)
    values (0, ${Buffer.from(island.slice(2), "hex")}, '', '', '', 100, 0, ${block}) on conflict (id) do update set waiting_block = ${block}`;
  const waitsFor = (block: number) => expect.stringContaining(`island ${island} at block ${block}`);
  await waits(103);
  expect(await written()).toEqual({ segments: whole, waitsFor: waitsFor(103) });
  await waits(102);
  expect(await written()).toEqual({ segments: [], waitsFor: waitsFor(102) });
  await sql`insert into tidemark.chain_stop values (31337, 107, '0xaa', '0xbb', 102)`;
  expect(await written()).toEqual({ segments: [], waitsFor: waitsFor(102) });
  await waits(104);
  expect(await written()).toEqual({ segments: whole, waitsFor: expect.stringContaining("has replaced block 107") });
  await sql`delete from tidemark.chain_stop`;
  await sql`delete from ${sql(smallIndex.foldSchema)}.island`;
  expect(await written()).toEqual({ segments: whole, waitsFor: undefined });
});
