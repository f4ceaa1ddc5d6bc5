// The lake of a small index written down by hand.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createFactTables, hashOf, insertBlocks, insertFacts, pointAt, writeFold } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

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
  made = await makeLake(url, { chainId: 31337, name: "small", lake: { segmentBlocks: 2, segmentTransfers: 2 } });
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
