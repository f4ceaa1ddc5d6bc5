// Indexes on Ponder's tables: built once, rebuilt when broken, and used by the questions they are for.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recentFactsDdl } from "../../fold/facts/recent-facts.ts";
import { buildFactIndexes, factIndexes } from "../../fold/upkeep/fact-indexes.ts";
import { kindOf } from "../../gateway/analytics/facts-catalogue.ts";
import { latestText, pageText } from "../../gateway/analytics/page-sql.ts";
import { createPonderTables } from "../../scripts/ponder-tables.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const SCHEMA = "facts_indexed";
const COPIES = "facts_indexed_copies";
/** Blocks up to 1,200 are final; newer ones are copies. */
const parts = (table: string) => [`(select * from ${SCHEMA}.${table} where block <= 1200)`, `${COPIES}.${table}`];
const place = { facts: { parts }, chain: { v2: null } };
const names = factIndexes.map(({ name }) => name);
const pool = (n: string) => `'0xbb' || lpad(to_hex(${n}), 38, '0')`;
const account = (n: string) => `'0xcc' || lpad(to_hex(${n}), 38, '0')`;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await database.sql.unsafe(`create schema ${SCHEMA}`);
  await createPonderTables(database.sql, SCHEMA);
  await database.sql.unsafe(`
    insert into ${SCHEMA}.v3_swap (block, log_index, tx_index, timestamp, pool, sender, recipient, amount0, amount1, sqrt_price_x96, liquidity, tick)
    select i / 20, i % 20, 0, i, ${pool("i % 300")}, ${account("1")}, ${account("2")}, 1, -1, 1, 1, 0 from generate_series(0, 29999) i;
    create schema ${COPIES};
    create table ${COPIES}.v3_swap (like ${SCHEMA}.v3_swap including indexes);
    create table ${COPIES}.v2_swap (like ${SCHEMA}.v2_swap including indexes);
    insert into ${COPIES}.v3_swap select * from ${SCHEMA}.v3_swap where block > 1200`);
});
afterAll(() => database.stop());

const planOf = async (text: string): Promise<string> =>
  JSON.stringify(await database.sql.unsafe(`explain (format json) ${text}`));

describe("indexes of facts", () => {
  it("are built once", async () => {
    expect(await buildFactIndexes(database.sql, SCHEMA)).toEqual(names);
    expect(await buildFactIndexes(database.sql, SCHEMA)).toEqual([]);
    await database.sql.unsafe(`analyze ${SCHEMA}.v3_swap`);
  });

  it("are rebuilt where building was cut short", async () => {
    const [name = ""] = names;
    await database.sql.unsafe(
      `update pg_index set indisvalid = false where indexrelid = '${SCHEMA}.${name}'::regclass`,
    );
    expect(await buildFactIndexes(database.sql, SCHEMA)).toEqual([name]);
    expect(await buildFactIndexes(database.sql, SCHEMA)).toEqual([]);
  });

  it("are those of the fold's copies, too, once each, and contracts are found in these by their address", async () => {
    await database.sql.unsafe(`create schema fold_indexed; create table fold_indexed.meta (finalized int4)`);
    await database.sql.unsafe(recentFactsDdl("fold_indexed", SCHEMA));
    const found = await database.sql`select tablename || substring(indexdef from ' \\(.*') as of
      from pg_indexes where schemaname = 'fold_indexed_recent' and indexdef not like '% UNIQUE %'`;
    const expected = [
      ...["v3_pool_created (pool)", "v2_pair_created (pair)", "island_created (island)", "island_created (pool)"],
      ...["vault_created (vault)", "launch_pool (pool)", "launch_pool (token)"],
      ...factIndexes.map(({ table, columns }) => `${table} ${columns}`),
    ];
    expect(found.map((row) => row.of).sort()).toEqual(expected.sort());
  });

  it("find the newest swaps of pools, however they are asked for", async () => {
    const [address = ""] = (await database.sql.unsafe(`select ${pool("7")} as a`)).map(({ a }) => String(a));
    const latest = latestText(place, kindOf("swaps"), {
      keys: [{ key: address, source: "v3" }],
      ...{ column: "pool", sourceColumn: "protocol", upTo: 5_000, count: 3 },
    });
    expect(await planOf(latest ?? "")).toContain("v3_swap_by_pool");
    const page = pageText(place, {
      ...{ kind: kindOf("swaps"), where: { pool: [address] }, span: { from: 0, to: 5_000 } },
      ...{ orderBy: undefined, isAscending: false, behind: undefined, limit: 11 },
    });
    expect(await planOf(page)).toContain("v3_swap_by_pool");
    const whole = await database.sql.unsafe(
      `select block, log_index as "logIndex" from ${SCHEMA}.v3_swap where pool = '${address}' order by block desc, log_index desc`,
    );
    const placeOf = ({ block, logIndex }: Record<string, unknown>) => ({ block, logIndex });
    expect((await database.sql.unsafe(page)).map(placeOf)).toEqual(whole.slice(0, 11).map(placeOf));
    expect((await database.sql.unsafe(latest ?? "")).map(placeOf)).toEqual(whole.slice(0, 3).map(placeOf));
    const older = pageText(place, {
      ...{ kind: kindOf("swaps"), where: { pool: [address] }, span: { from: 0, to: 5_000 }, orderBy: undefined },
      ...{ isAscending: false, behind: { rank: undefined, block: 1_230, logIndex: 0 }, limit: 5 },
    });
    const behind = whole.filter(({ block }) => block < 1_230);
    expect((await database.sql.unsafe(older)).map(placeOf)).toEqual(behind.slice(0, 5).map(placeOf));
  });
});
