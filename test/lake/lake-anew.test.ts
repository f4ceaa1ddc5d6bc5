// A lake that is written again while its writer goes on.
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { undelayed } from "../../database/undelayed.ts";
import { LakeWriter } from "../../lake/lake-writer.ts";
import { readManifest } from "../../lake/manifest.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const BLOCKS = 40;
let database: TestDatabase;
let lake: string;
const connections: postgres.Sql[] = [];

beforeAll(async () => {
  lake = mkdtempSync(join(tmpdir(), "tidemark-lake-"));
  database = await startTestDatabase();
  const script = new Script();
  for (let block = 1; block <= BLOCKS; block++) {
    for (let i = 1; i <= 6; i++) script.mint(tokenOf(1), accountOf(i), 1n);
    script.nextBlock();
  }
  await buildScripted(database.sql, script, {
    ...{ ponderSchema: "facts_anew", foldSchema: "fold_anew", finalized: BLOCKS },
  });
});
afterAll(async () => {
  await Promise.all(connections.map((db) => db.end({ timeout: 2 })));
  rmSync(lake, { recursive: true, force: true });
  await database.stop();
});

it("the lake is cut at the same blocks, and has the same root, where its manifest was moved away", async () => {
  const [snapshot, facts] = [1, 2].map(() =>
    postgres(database.url, { max: 1, ...undelayed(), onnotice: () => {} }),
  ) as [postgres.Sql, postgres.Sql];
  connections.push(snapshot, facts);
  const chain = { chainId: SCRIPT_CHAIN_ID, name: "anew", lake: { segmentBlocks: 2, segmentTransfers: 10 } };
  const setting = { chain, lake, connections: { snapshot, facts }, readPrices: async () => [], say: () => {} };
  const writer = new LakeWriter(setting);
  await writer.open();
  await writer.writeFinal();
  const before = await readManifest(writer.folder);
  expect(before?.segments.length).toBeGreaterThan(10);
  renameSync(join(writer.folder, "manifest.json"), join(lake, "before.json"));
  await writer.writeFinal();
  expect(await readManifest(writer.folder)).toEqual(before);
});
