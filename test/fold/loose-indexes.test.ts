// Indexes that take more room than their rows need: found, rebuilt, and nothing left of what was cut short.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFold, ensureDeployment } from "../../fold/fold-schema.ts";
import { finishLoad } from "../../fold/upkeep/index-load.ts";
import { looseIndexes, rebuild } from "../../fold/upkeep/loose-indexes.ts";
import { createPonderTables } from "../../scripts/ponder-tables.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const [PONDER, FOLD] = ["facts_loose", "fold_loose"];
const s = `"${FOLD}"`;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  const { sql } = database;
  await sql.unsafe(`create schema ${PONDER}`);
  await createPonderTables(sql, PONDER);
  await ensureDeployment(sql);
  const identity = { chainId: 1, ponderSchema: PONDER, foldSchema: FOLD, firstBlock: 0, weth9: [], erc4626: [] };
  await createFold(sql, identity, { buildId: "test", factOid: "0" });
  await sql.unsafe(`
    insert into ${s}.holding_interval (asset, account, from_block, to_block, lvl, amount)
    select i % 50, decode(md5(i::text) || '00000000', 'hex'), i, i + 9, 3, 1e18 + i from generate_series(1, 120000) i`);
  await finishLoad([sql], { foldSchema: FOLD, stepTables: [] });
});
afterAll(() => database.stop());

describe("the indexes of a fold", () => {
  it("are not loose after the first load", async () => {
    expect(await looseIndexes(database.sql, s)).toEqual([]);
  });

  it("are rebuilt when their rows need much less, and what an interrupted rebuild has left is dropped", async () => {
    const { sql } = database;
    await sql.unsafe(`delete from ${s}.holding_interval where from_block % 10 < 7`);
    await sql.unsafe(`vacuum (analyze) ${s}.holding_interval`);
    const loose = await looseIndexes(sql, s);
    expect(loose.map((index) => index.replaceAll('"', ""))).toEqual([
      `${FOLD}.holding_interval_by_key`,
      `${FOLD}.holding_interval_by_class`,
    ]);
    await sql.unsafe(`
      create index holding_interval_by_class_ccnew on ${s}.holding_interval (lvl);
      update pg_index set indisvalid = false where indexrelid = '${s}.holding_interval_by_class_ccnew'::regclass`);
    await rebuild(sql, s, loose);
    expect(await looseIndexes(sql, s)).toEqual([]);
    const [row] = await sql.unsafe(`
      select to_regclass('${s}.holding_interval_by_class_ccnew') is null as is_dropped,
             pg_relation_size('${s}.holding_interval_by_class')::float8 as bytes`);
    expect(row?.is_dropped).toBe(true);
    expect(row?.bytes).toBeLessThan(4_000_000);
  });
});
