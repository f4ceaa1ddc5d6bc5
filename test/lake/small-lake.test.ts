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

it("has the files that a small index gives, under their names", () => {
  const [segment] = made.manifest.segments;
  expect(segment).toMatchObject({ first: 100, last: 101, hash: hashOf(101) });
  expect(segment?.files.map(({ path, rows }) => [path, rows])).toEqual([
    ["block/0000000100-0000000101.parquet", 2],
    ["erc20_transfer/0000000100-0000000101.parquet", 5],
    ["holding_open/0000000100-0000000101.parquet", 10],
    ["tokens/0000000100-0000000101.parquet", 5],
  ]);
});

it("ends below the fork where the chain has replaced final blocks, and has the same bytes up to there", async () => {
  const { sql, url } = database;
  const written = async () => {
    const { manifest, waitsFor, remove } = await makeLake(url, small);
    remove();
    return { segments: manifest.segments, waitsFor };
  };
  const replaced = (fork: number) => sql`insert into tidemark.chain_stop values (31337, 107, '0xaa', '0xbb', ${fork})
    on conflict (chain_id) do update set fork = ${fork}`;
  const waitsFor = expect.stringMatching(
    /the chain has replaced block 107, which was final, and blocks after 10\d here/,
  );
  expect(made.waitsFor).toBeUndefined();
  await replaced(102);
  expect(await written()).toEqual({ segments: made.manifest.segments, waitsFor });
  // the block after a segment tells whether an hour has ended: it must be there on both branches
  await replaced(101);
  expect(await written()).toEqual({ segments: [], waitsFor });
  await replaced(-1);
  expect(await written()).toEqual({ segments: [], waitsFor: expect.stringContaining("and all blocks here are of") });
  await sql`delete from tidemark.chain_stop`;
  expect(await written()).toEqual({ segments: made.manifest.segments, waitsFor: undefined });
});
