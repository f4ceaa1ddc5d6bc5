// A lake that is continued under a chain file that lists other contracts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChainFile, chainFileSchema } from "../../chains/chain-file.ts";
import { sourcesText } from "../../chains/sources.ts";
import { undelayed } from "../../database/undelayed.ts";
import { openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { LakeWriter } from "../../lake/lake-writer.ts";
import { type Manifest, manifestText, readManifest, rootOf } from "../../lake/manifest.ts";
import { changesUpTo, type ReadContracts, readContracts } from "../../lake/read-contracts.ts";
import { setCheckpoint } from "../support/folded-index.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { openTestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const BLOCKS = 14;
const PONDER_SCHEMA = "facts_sources";
const ADDRESS = `0x${"ab".repeat(20)}`;

const chainWith = (startBlock: number | undefined): ChainFile =>
  chainFileSchema.parse({
    ...chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0 }),
    lake: { segmentBlocks: 2, segmentTransfers: 10 },
    ...(startBlock === undefined ? {} : { farms: { factory: { address: ADDRESS, startBlock } } }),
  });
const plain = chainWith(undefined);

const contractsOf = (chain: ChainFile): ReadContracts => readContracts(chain, SCRIPT_CHAIN_ID);

describe("sources", () => {
  const before = contractsOf(plain);
  const farmFrom = (startBlock: number): ReadContracts => contractsOf(chainWith(startBlock));

  it("are the chain file's contracts, with the block that it says of each", () => {
    expect(before.tokens).toEqual({ from: 0, contracts: { all: 0 } });
    expect(farmFrom(7)).toEqual({ ...before, farmFactories: { from: 7, contracts: { [ADDRESS]: 7 } } });
  });

  it("differ up to a block by what was added or taken out and begins by then", () => {
    expect(changesUpTo(10, { before, now: before })).toEqual([]);
    expect(changesUpTo(10, { before, now: farmFrom(11) })).toEqual([]);
    expect(changesUpTo(10, { before, now: farmFrom(10) })).toEqual([
      `farmFactories ${ADDRESS} was added, from block 10 on`,
    ]);
    expect(changesUpTo(10, { before: farmFrom(3), now: before })).toEqual([
      `farmFactories ${ADDRESS} was taken out, read from block 3 on`,
    ]);
    expect(changesUpTo(10, { before: farmFrom(30), now: farmFrom(5) })).toEqual([
      `farmFactories ${ADDRESS} begins with block 5, not 30`,
    ]);
  });

  it("do not differ by the block of a contract that is read from where an older one of its kind begins", () => {
    const of = (block: number): ReadContracts => ({ kind: { from: 0, contracts: { a: 0, b: block } } });
    expect(changesUpTo(10, { before: of(3), now: of(5) })).toEqual([]);
  });
});

describe("a lake", () => {
  let database: TestDatabase;
  let lake: string;
  let facts: postgres.Sql;
  let snapshot: postgres.Sql;

  beforeAll(async () => {
    database = await startTestDatabase();
    const script = new Script();
    for (let block = 1; block <= BLOCKS; block++) {
      for (let i = 1; i <= 6; i++) script.mint(tokenOf(1), accountOf(i), 1n);
      script.nextBlock();
    }
    const index = { ponderSchema: PONDER_SCHEMA, foldSchema: "fold_sources", finalized: BLOCKS };
    await buildScripted(database.sql, script, index);
    [facts, snapshot] = [1, 2].map(() => postgres(database.url, { max: 1, ...undelayed(), onnotice: () => {} })) as [
      postgres.Sql,
      postgres.Sql,
    ];
  });
  afterAll(async () => {
    await Promise.all([facts, snapshot].map((db) => db.end({ timeout: 2 })));
    rmSync(lake, { recursive: true, force: true });
    await database.stop();
  });
  beforeEach(async () => {
    if (lake) rmSync(lake, { recursive: true, force: true });
    lake = mkdtempSync(join(tmpdir(), "tidemark-lake-"));
  });

  /** The index says that it was made from `sources`. */
  const setSources = (sources: string | null) => database.sql`update fold_sources.meta set sources = ${sources}`;
  const writerOf = (chain: ChainFile) =>
    new LakeWriter({
      ...{ chain, lake, connections: { snapshot, facts }, readPrices: async () => [], say: () => {} },
      own: contractsOf(chain),
    });
  async function checked(chain: ChainFile) {
    await setSources(sourcesText(chain));
    return writerOf(chain).check();
  }
  /** By an index of `chain`. */
  async function written(chain: ChainFile): Promise<Manifest> {
    await setSources(sourcesText(chain));
    const writer = writerOf(chain);
    await writer.open();
    await writer.writeFinal();
    return (await readManifest(writer.folder)) as Manifest;
  }
  /** The first segments alone, as if the others had not been final. */
  function shorten(manifest: Manifest): Manifest {
    const segments = manifest.segments.slice(0, 3);
    return { ...manifest, segments, root: rootOf(segments.flatMap(({ files }) => files)) };
  }
  const manifestPath = () => join(lake, String(SCRIPT_CHAIN_ID), "manifest.json");
  const put = (manifest: Manifest) => writeFileSync(manifestPath(), manifestText(manifest));

  it("names the sources of its rows, and the same ones where its last segments are written later", async () => {
    const whole = await written(plain);
    expect(whole.sources).toEqual({ since: 0, read: contractsOf(plain) });
    put(shorten(whole));
    expect(await written(plain)).toEqual(whole);
  });

  it("is not continued where a contract was added that begins before its last block, and says what to do", async () => {
    put(shorten(await written(plain)));
    const text = readFileSync(manifestPath(), "utf8");
    await expect(written(chainWith(3))).rejects.toThrow(
      `was written up to block 7 with other sources than the index has (farmFactories ${ADDRESS} was added, from block 3 on): write the chain file as it was, or move the lake's folder of this chain away`,
    );
    expect(readFileSync(manifestPath(), "utf8")).toBe(text);
    expect((await checked(chainWith(3))).otherSources).toContain("was added, from block 3 on");
    expect(await checked(plain)).toMatchObject({ otherSources: undefined, withoutSources: undefined, wrong: [] });
    rmSync(join(lake, String(SCRIPT_CHAIN_ID)), { recursive: true });
    expect((await written(chainWith(3))).sources?.read).toEqual(contractsOf(chainWith(3)));
  });

  it("is not continued where a contract was taken out that it has", async () => {
    await written(chainWith(3));
    await expect(written(plain)).rejects.toThrow("was taken out, read from block 3 on");
  });

  it("is continued where what was added begins after its last block, and names it from then on", async () => {
    const whole = await written(chainWith(10));
    rmSync(join(lake, String(SCRIPT_CHAIN_ID)), { recursive: true });
    put(shorten(await written(plain)));
    expect(await written(chainWith(10))).toEqual(whole);
  });

  it("that was begun before sources were named is continued, and says up to which block it does not name them", async () => {
    const { sources: _, ...unnamed } = await written(plain);
    put(shorten(unnamed));
    expect((await checked(plain)).withoutSources).toBe(7);
    const { sources } = await written(plain);
    expect(sources).toEqual({ since: 8, read: contractsOf(plain) });
    expect((await checked(plain)).withoutSources).toBe(7);
    await expect(written(chainWith(3))).rejects.toThrow("was added, from block 3 on");
  });

  it("follows the index that is read, not the chain file of one that is still being made", async () => {
    const whole = await written(plain);
    put(shorten(whole));
    const writer = writerOf(chainWith(3));
    expect((await writer.writeFinal()).waitsFor).toBeUndefined();
    expect(await readManifest(writer.folder)).toEqual(whole);
    rmSync(writer.folder, { recursive: true });
    await writer.open();
    expect(await writer.writeFinal()).toMatchObject({
      written: 0,
      waitsFor: expect.stringContaining("the index of the chain file"),
    });
  });

  it("waits where nobody knows what the index was made from", async () => {
    put(shorten(await written(plain)));
    await setSources(null);
    const standing = await writerOf(plain).writeFinal();
    expect(standing).toMatchObject({ written: 0, waitsFor: expect.stringContaining("says what it was made from") });
  });

  it("that begins with another block than the index is not continued", async () => {
    await written(plain);
    await database.sql`update fold_sources.meta set first_block = 2`;
    try {
      await expect(written(plain)).rejects.toThrow("begins with block 0, and the index with block 2");
    } finally {
      await database.sql`update fold_sources.meta set first_block = 0`;
    }
  });

  it("is not put together with an index of other sources by SQL", async () => {
    const { folder } = writerOf(plain);
    await written(plain);
    await setCheckpoint(database.sql, PONDER_SCHEMA, BLOCKS);
    const read = openDatabase(database.url);
    const service = openLastingService({ chains: [plain], database: read });
    const place = { databaseUrl: database.url, chainId: SCRIPT_CHAIN_ID, lakeFolder: folder, service };
    const ask = async () => {
      const sql = await openTestSql(place);
      try {
        return await sql.rows("select count(*)::INTEGER as n from transfers");
      } finally {
        await sql.close();
      }
    };
    try {
      expect(await ask()).toEqual([{ n: 6 * BLOCKS }]);
      // gateways read the index of the other chain file by now
      await expect(written(chainWith(3))).rejects.toThrow("other sources");
      await expect(ask()).rejects.toMatchObject({
        code: "SQL_DAMAGED",
        message: expect.stringContaining(`farmFactories ${ADDRESS} was added, from block 3 on`),
      });
    } finally {
      await read.close();
    }
  });
});
