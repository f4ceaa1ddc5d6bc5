// Which index PostgreSQL reads for whole groups and for single entities: the plan must not depend on whether it knows token and block.
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowsAt } from "../../../core/history/as-of.ts";
import { durationClassSql } from "../../../core/history/duration-class.ts";
import { holdings, v3Positions } from "../../../core/history/histories.ts";
import { deploymentDdl, foldIndexesDdl, foldTablesDdl } from "../../../fold/tables.ts";
import { holdersAt, holdersText } from "../../../gateway/history/holdings-at.ts";
import { rowOfKey } from "../../../gateway/history/row-of-key.ts";
import { stretchesOfGroup, stretchesOfKey, stretchesWithValues } from "../../../gateway/history/stretches.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";

const FOLD = "fold_plan";
const ASSETS = 1_000;
const FINAL = 1_000_000;
const BLOCK = FINAL / 2;
const ASSET = 7;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await database.sql.unsafe(deploymentDdl + foldTablesDdl(FOLD) + foldIndexesDdl(FOLD));
  await database.sql.unsafe(
    `insert into ${FOLD}.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, finalized, head)
     values (1, 'facts', 'build', 1, 0, ${FINAL}, ${FINAL})`,
  );
  // accounts that hold for about 30 blocks at a time
  await database.sql.unsafe(`
    insert into ${FOLD}.holding_interval (asset, account, from_block, to_block, lvl, amount)
    select n % ${ASSETS} + 1, decode(lpad(to_hex(n / ${ASSETS} % 500), 40, '0'), 'hex'), n * 16, n * 16 + length,
           ${durationClassSql("length")}, n
      from generate_series(1, ${FINAL / 16 - 100}) n cross join lateral (select 20 + n % 20 as length) l`);
  await database.sql.unsafe(`
    insert into ${FOLD}.holding_current (asset, account, since, amount)
    select n % ${ASSETS} + 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), n * 16, n from generate_series(1, ${FINAL / 16}) n`);
  await database.sql.unsafe(`vacuum (analyze) ${FOLD}.holding_interval`);
  await database.sql.unsafe(`vacuum (analyze) ${FOLD}.holding_current`);
});
afterAll(() => database?.stop());

async function planOf(sql: Sql, explained: string): Promise<string> {
  const rows = await sql.unsafe<{ "QUERY PLAN": string }[]>(`explain ${explained}`);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

/** The plan of `text` for any token and block. */
async function genericPlan(text: string): Promise<string> {
  const connection = await database.sql.reserve();
  try {
    await connection.unsafe("set plan_cache_mode = force_generic_plan");
    await connection.unsafe(`prepare holders (int4, int4) as ${text}`);
    return await planOf(connection, `execute holders (${BLOCK}, ${ASSET})`);
  } finally {
    await connection.unsafe("deallocate all; reset plan_cache_mode");
    connection.release();
  }
}

const readsByClass = (plan: string): void => {
  expect(plan).toContain("holding_interval_by_class");
  expect(plan).toContain("holding_current_by_since");
  expect(plan).not.toContain("holding_interval_by_key");
};

describe("all holders of a token at an old block", () => {
  const at = { fold: FOLD, assetId: ASSET, block: BLOCK };

  it("are read by the class of their intervals when token and block are parameters", async () => {
    readsByClass(await genericPlan(holdersAt(at).text));
  });

  it("are read so when PostgreSQL knows both", async () => {
    const text = holdersText({ fold: FOLD, asset: String(ASSET), block: String(BLOCK) });
    readsByClass(await planOf(database.sql, text));
  });

  it("are read so over a range of blocks", async () => {
    const text = stretchesOfGroup(holdings, {
      ...{ fold: FOLD, of: { asset: "$2::int4" }, first: "$1::int4", last: "$1::int4 + 10" },
      select: (row) => `${row}.account, ${row}.amount`,
    });
    readsByClass(await genericPlan(text));
  });
});

it("seeks an account by its key, for any token, account and block, and in an index alone where it held nothing", async () => {
  const key = { asset: "$2::int4", account: "'\\x0000000000000000000000000000000000000007'::bytea" };
  const plan = await genericPlan(
    rowOfKey(holdings, { fold: FOLD, block: "$1::int4", key, select: (row) => `${row}.amount` }),
  );
  expect(plan).toContain("Index Only Scan using holding_interval_by_key");
  expect(plan.match(/Index Scan using holding_interval_by_key/g)).toHaveLength(1);
  expect(plan).toContain("Index Scan using holding_current_pkey");
});

describe("positions of v3 pools", () => {
  beforeAll(async () => {
    const positions = (table: string, columns: string, values: string) => `
      insert into ${FOLD}.v3_position_${table} (pool, owner, tick_lower, tick_upper, ${columns}, liquidity,
             fee_growth_inside0_last_x128, fee_growth_inside1_last_x128, tokens_owed0, tokens_owed1)
      select n % 500, decode(lpad(to_hex(n), 40, '0'), 'hex'), -n, n, ${values}, 1, 1, 1, 0, 0
        from generate_series(1, 20000) n`;
    await database.sql.unsafe(positions("interval", "from_block, to_block, lvl", "n, n + 10, 3"));
    await database.sql.unsafe(positions("current", "since", "n"));
    for (const table of ["interval", "current"])
      await database.sql.unsafe(`vacuum (analyze) ${FOLD}.v3_position_${table}`);
  });
  const [block, owner] = ["$1::int4", "decode(lpad(to_hex($2::int4), 40, '0'), 'hex')"];
  const select = (row: string) => `${row}.liquidity`;
  const indexesOf = (plan: string) =>
    [...plan.matchAll(/(?:Scan(?: Backward)? using|Bitmap Index Scan on) (\w+_(?:interval|current)_\w+)/g)].map(
      ([, index]) => index,
    );

  it("are sought by their key, whatever their owner has", async () => {
    const key = { pool: "7", owner, tick_lower: "-7", tick_upper: "7" };
    const plan = await genericPlan(rowOfKey(v3Positions, { fold: FOLD, block, key, select }));
    expect(indexesOf(plan)).toEqual([
      ...["v3_position_interval_by_key", "v3_position_interval_by_key"],
      "v3_position_current_pkey",
    ]);
  });

  it.each([
    ["at a block", rowsAt(v3Positions, { fold: FOLD, block, of: { owner }, select })],
    [
      "over a range of blocks",
      stretchesWithValues(v3Positions, { fold: FOLD, of: { owner }, first: block, last: `${block} + 10`, select }),
    ],
  ])("are found by their owner: %s", async (_, text) => {
    expect(indexesOf(await genericPlan(text))).toEqual([
      ...["v3_position_interval_by_owner", "v3_position_current_by_owner"],
    ]);
  });
});

/** What is read of the intervals, and how, without what is decided before. */
const readsOf = (plan: string): string[] =>
  [...plan.matchAll(/(\w[\w ]*Scan)(?: using \w+)? on (holding_\w+)|(Bitmap Index Scan) on (\w+)/g)].map(
    ([line]) => line,
  );

const REQUIRED = /\(select tidemark\.has_intervals\((?:[^()]|\([^()]*\))*\)\)/g;

describe("the condition that intervals are still here", () => {
  const [block, asset] = ["$1::int4", "$2::int4"];
  const key = { asset, account: "'\\x0000000000000000000000000000000000000007'::bytea" };
  const select = (row: string) => `${row}.account, ${row}.amount`;
  const ranges = `(values (${block}, ${block} + 10)) w(first, last)`;
  it.each([
    ["all holders", holdersText({ fold: FOLD, asset, block })],
    ["one holder", rowOfKey(holdings, { fold: FOLD, block, key, select })],
    ["a holder's stretches", stretchesOfKey(holdings, { fold: FOLD, ranges, upTo: `${block} + 10`, key, select })],
    [
      "all stretches",
      stretchesOfGroup(holdings, { fold: FOLD, of: { asset }, first: block, last: `${block} + 10`, select }),
    ],
  ])("is checked once, before anything is read, and changes nothing of the plan: %s", async (_, text) => {
    expect(text.match(REQUIRED)).not.toBeNull();
    const [plan, without] = [await genericPlan(text), await genericPlan(text.replace(REQUIRED, "true"))];
    expect(readsOf(plan)).toEqual(readsOf(without));
    expect(readsOf(plan).length).toBeGreaterThan(1);
    expect(without).not.toContain("has_intervals");
  });
});
