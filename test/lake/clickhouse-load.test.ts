// A load that comes again, meets damage or another lake: every row of the lake is in ClickHouse once, or it is said what is
// wrong. Loads that are killed: test/seeded/clickhouse.test.ts.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClickHouseClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChdb } from "../../bench/lake/chdb.ts";
import { createTables, loadLake } from "../../lake/clickhouse/load.ts";
import { filesOf } from "../../lake/manifest.ts";
import { startClickHouse, type TestClickHouse } from "../support/clickhouse.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

describe.skipIf(!hasChdb())("a load", () => {
  let database: TestDatabase;
  let lake: TestLake;
  let clickhouse: TestClickHouse;
  const clients: ClickHouseClient[] = [];

  beforeAll(async () => {
    database = await startTestDatabase();
    await buildIndex(database.sql, smallIndex);
    lake = await makeLake(database.url, {
      chainId: 31337,
      name: "small",
      lake: { segmentBlocks: 2, segmentTransfers: 2 },
    });
    clickhouse = await startClickHouse();
  }, 600_000);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await clickhouse?.stop();
    lake?.remove();
    await database?.stop();
  });

  const open = async (name: string): Promise<ClickHouseClient> => {
    const client = await clickhouse.openDatabase(name);
    clients.push(client);
    await createTables(client, { isCluster: false });
    return client;
  };

  const load = (client: ClickHouseClient, folder = lake.folder) =>
    loadLake({ client, isCluster: false, folder, manifest: lake.manifest });

  /** Of every table with rows, per segment. */
  async function rowsIn(name: string): Promise<string[]> {
    const parts = await clickhouse.ask(
      name,
      `select table, toInt32(partition), sum(rows) from system.parts
        where active and database = '${name}' and table not like 'lake%' group by 1, 2 order by 1, 2`,
    );
    return parts.split("\n").slice(0, -1).sort();
  }

  const rowsOfLake = (): string[] =>
    filesOf(lake.manifest)
      .map(({ dataset, path, rows }) => `${dataset}\t${Number(path.slice(-18, -8))}\t${rows}`)
      .sort();

  it("takes every file once, however often it is begun", async () => {
    const client = await open("again");
    expect(await load(client)).toBe(filesOf(lake.manifest).length);
    expect(await load(client)).toBe(0);
    expect(await rowsIn("again")).toEqual(rowsOfLake());
  });

  it("does not double rows whose record was lost, nor leave those of half a file", async () => {
    const client = await open("lost");
    await load(client);
    for (const table of ["lake_file", "lake_segment"]) await clickhouse.ask("lost", `truncate table ${table}`);
    await clickhouse.ask("lost", "insert into holding_open select * from holding_open");
    expect(await rowsIn("lost")).not.toEqual(rowsOfLake());
    expect(await load(client)).toBe(filesOf(lake.manifest).length);
    expect(await rowsIn("lost")).toEqual(rowsOfLake());
  });

  it("knows an insert that comes again by its token, also while nothing is recorded", async () => {
    const client = await open("token");
    await load(client);
    const [file] = filesOf(lake.manifest).filter(({ dataset }) => dataset === "holding_open");
    const insert = `insert into holding_open settings insert_deduplication_token = '${file?.sha256}',
      deduplicate_insert_select = 'enable_even_for_bad_queries' select * from holding_open where segment = ${Number(file?.path.slice(-18, -8))}`;
    await clickhouse.ask("token", insert);
    expect(await rowsIn("token")).toEqual(rowsOfLake());
  });

  it("names a damaged file and takes nothing of it", async () => {
    const client = await open("damaged");
    const copy = mkdtempSync(join(tmpdir(), "tidemark-damaged-"));
    try {
      cpSync(lake.folder, copy, { recursive: true });
      const { path } = filesOf(lake.manifest)[0]!;
      const bytes = readFileSync(join(copy, path));
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(join(copy, path), bytes);
      await expect(load(client, copy)).rejects.toThrow(`${path} is damaged`);
      expect(await rowsIn("damaged")).toEqual([]);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  it("does not mix two lakes", async () => {
    const client = await open("other");
    await load(client);
    const [first, ...others] = lake.manifest.segments;
    const manifest = { ...lake.manifest, segments: [{ ...first!, hash: "0x00" }, ...others] };
    const mixed = loadLake({ client, isCluster: false, folder: lake.folder, manifest });
    await expect(mixed).rejects.toThrow("of another lake");
  });

  it("does not take a lake for its own that was written again with one more file in a segment that is whole", async () => {
    const [first, ...others] = lake.manifest.segments;
    const [left, ...files] = first!.files;
    const lacking = { ...lake.manifest, segments: [{ ...first!, files }, ...others] };
    const client = await open("anew");
    await loadLake({ client, isCluster: false, folder: lake.folder, manifest: lacking });
    await expect(load(client)).rejects.toThrow(`of another lake, without ${left!.path}`);
  });

  it("waits for a lake that is written again, and calls it no other", async () => {
    const client = await open("ahead");
    await load(client);
    const last = lake.manifest.segments.at(-1)?.last ?? 0;
    const manifest = { ...lake.manifest, segments: [] };
    const begun = loadLake({ client, isCluster: false, folder: lake.folder, manifest });
    await expect(begun).rejects.toThrow(`has blocks up to ${last}, the lake none yet: load again when`);
    const more = { first: last + 1, last: last + 2, hash: "0x01" };
    await client.insert({ table: "lake_segment", values: [more], format: "JSONEachRow" });
    await expect(load(client)).rejects.toThrow(`has blocks up to ${more.last}, the lake up to ${last} only`);
  });
});
