// How two lakes are compared: what is equal, and which file and rows are named where they differ.
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lakeDifferences } from "../../trials/faults/lake-differences.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const chain = { chainId: 31337, name: "small", lake: { segmentBlocks: 2, segmentTransfers: 2 } };
let database: TestDatabase;
const made: TestLake[] = [];

async function make(): Promise<TestLake> {
  const one = await makeLake(database.url, chain);
  made.push(one);
  return one;
}

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, { ...smallIndex, chainHead: smallIndex.head });
});
afterAll(async () => {
  for (const one of made) one.remove();
  await database?.stop();
});

describe("two lakes", () => {
  it("are equal to the byte when one index has written both", async () => {
    const [first, second] = [await make(), await make()];
    const { differences, files, root, lastBlock } = await lakeDifferences(first.folder, second.folder);
    expect(differences).toEqual([]);
    expect(files).toBe(first.manifest.segments.flatMap((segment) => segment.files).length);
    expect(files).toBeGreaterThan(3);
    expect([root, lastBlock]).toEqual([second.manifest.root, second.manifest.segments.at(-1)?.last]);
  });

  it("differ by a file that was cut off, whatever the manifest says", async () => {
    const [first, second] = [await make(), await make()];
    const [file] = second.manifest.segments[0]?.files ?? [];
    truncateSync(join(second.folder, file?.path ?? ""), 10);
    expect((await lakeDifferences(first.folder, second.folder)).differences).toEqual([
      `${join(second.folder, file?.path ?? "")} has 10 bytes, not ${file?.bytes}`,
    ]);
  });

  it("differ first by the file of the earliest segment, whose rows are named", async () => {
    const first = await make();
    const { foldSchema } = smallIndex;
    const [changed] = await database.sql.unsafe(
      `update ${foldSchema}.holding_current set amount = amount + 1 where (asset, account) in
         (select asset, account from ${foldSchema}.holding_current where since <= 101 and asset <> 0 order by 1, 2 limit 1)
       returning '0x' || encode(account, 'hex') as account, amount::text, (amount - 1)::text as before`,
    );
    const { differences } = await lakeDifferences(first.folder, (await make()).folder);
    expect(differences[0]).toMatch(
      /^holding_open\/0000000100-\d{10}\.parquet is the first that differs: \d+ rows, \d+ rows$/,
    );
    const only = (name: string) => differences.filter((line) => line.includes(`, only the ${name}: `));
    expect([only("first").length, only("second").length]).toEqual([1, 1]);
    for (const [name, amount] of [
      ["first", changed?.before],
      ["second", changed?.amount],
    ] as const)
      expect(only(name)[0]).toContain(`"account":"${changed?.account}","amount":"${amount}"`);
    expect(differences.at(-1)).toMatch(/^the roots are [0-9a-f]{64} and [0-9a-f]{64}$/);
  });
});
