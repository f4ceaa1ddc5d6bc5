// Texts that read intervals, where some were pruned: no block below is answered from what is left, and every other as before, however
// PostgreSQL plans the statement.
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowsAt, rowsOfGroup, rowsOfGroups } from "../../../core/history/as-of.ts";
import { holdings, islands, v2Reserves, v3Pools, v3Positions } from "../../../core/history/histories.ts";
import { type History, keyColumns, valueColumns } from "../../../core/history/history.ts";
import { historyText } from "../../../core/lake/datasets.ts";
import { deploymentDdl, foldIndexesDdl, foldTablesDdl, quoted } from "../../../fold/tables.ts";
import { textForSets } from "../../../gateway/database/statement-sets.ts";
import { rowOfKey } from "../../../gateway/history/row-of-key.ts";
import {
  stretchesOfAll,
  stretchesOfGroup,
  stretchesOfKey,
  stretchesWithValues,
} from "../../../gateway/history/stretches.ts";
import { prunedRangeOf } from "../../../gateway/lake/lake-errors.ts";
import { endedText } from "../../../sql/tail-texts.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";
import { addressOf, randomEntities, randomOf, writeEntities } from "./versioned-entities.ts";

const [HEAD, FINAL] = [40, 36];
/** Intervals that ended by this block are away: states of blocks below it are unknown. */
const PRUNED = 20;
const FOLD = "fold_pruned_blocks";
const fold = quoted(FOLD);

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  const { sql } = database;
  await sql.unsafe(deploymentDdl + foldTablesDdl(FOLD) + foldIndexesDdl(FOLD));
  await sql.unsafe(`
    insert into ${FOLD}.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, finalized, head)
    values (1, 'facts', 'build', 1, 0, ${FINAL}, ${HEAD})`);
  await writeEntities(sql, { schema: FOLD, final: FINAL, all: randomEntities(randomOf(7), HEAD) });
});
afterAll(() => database?.stop());

const [FIRST, LAST] = ["$1::int4", "$2::int4"];
const ranges = `(values (${FIRST}, ${LAST})) w(first, last)`;
const owner = `'${addressOf(1)}'::bytea`;
const columnsOf = (history: History) => (row: string) =>
  [...keyColumns(history), ...valueColumns(history)].map((column) => `${row}.${column}::text`).join(", ");
const select = columnsOf(holdings);
const someKey = { asset: "1", account: owner };

/** Over $1, the first block, and $2, the last: texts of one block take the first alone. */
const texts: Readonly<Record<string, string>> = {
  "all rows": rowsAt(holdings, { fold, block: FIRST, select }),
  "rows of an owner": rowsAt(v3Positions, { fold, block: FIRST, of: { owner }, select: columnsOf(v3Positions) }),
  "rows of a group": rowsOfGroup(holdings, { fold, block: FIRST, of: { asset: "1" }, select }),
  "rows of groups": rowsOfGroups(holdings, {
    ...{ fold, block: FIRST, column: "asset", values: "array[1, 2]", select },
  }),
  "a row by its key": rowOfKey(holdings, { fold, block: FIRST, key: someKey, select }),
  "rows by their keys": `select r.* from unnest(array[1, 2]) a(id) cross join lateral (${rowOfKey(v3Pools, {
    ...{ fold, block: FIRST, key: { pool: "a.id" }, select: columnsOf(v3Pools) },
  })}) r`,
  "stretches of a key": stretchesOfKey(holdings, { fold, ranges, upTo: LAST, key: someKey, select }),
  "first stretches of a key": stretchesOfKey(holdings, { fold, ranges, upTo: LAST, key: someKey, select, most: 2 }),
  "stretches of keys": `select s.* from unnest(array[1, 2]) a(id) cross join lateral (${stretchesOfKey(holdings, {
    ...{ fold, ranges, upTo: LAST, key: { asset: "a.id", account: owner }, select },
  })}) s`,
  "stretches of all": stretchesOfAll(v2Reserves, { fold, ranges, upTo: LAST, select: columnsOf(v2Reserves) }),
  "stretches of a group": stretchesOfGroup(holdings, {
    ...{ fold, of: { asset: "1" }, first: FIRST, last: LAST, select },
  }),
  "stretches of an owner": stretchesWithValues(v3Positions, {
    ...{ fold, of: { owner }, first: FIRST, last: LAST, select: columnsOf(v3Positions) },
  }),
};

/** As it is sent: by itself, planned for any parameters, and together with what others ask. */
const ways: Readonly<Record<string, (text: string) => string>> = {
  unbatched: (text) => `select * from (${text}) t where $2::int4 is not null`,
  together: (text) => {
    const sets = textForSets(text, [["0", "0"]]).replace(
      "$1::text::json",
      "json_build_array(json_build_object('set_place', 0, '0', $1::text, '1', $2::text))",
    );
    return `select * from (${sets}) t where $2::int4 is not null`;
  },
};

const settings = [
  "set plan_cache_mode = force_generic_plan",
  "set plan_cache_mode = force_custom_plan",
  "set plan_cache_mode = force_generic_plan; set enable_indexscan = off; set enable_bitmapscan = off; set enable_indexonlyscan = off",
  "set plan_cache_mode = force_generic_plan; set enable_nestloop = off; set enable_material = off",
  "set plan_cache_mode = force_generic_plan; set enable_hashjoin = off; set enable_mergejoin = off; set from_collapse_limit = 1; set join_collapse_limit = 1",
];

async function answered(sql: Sql, text: string, [first, last]: readonly [number, number]): Promise<string> {
  const rows = await sql.unsafe(text, [String(first), String(last)], { prepare: true });
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join("\n");
}

const requestedRanges: readonly (readonly [number, number])[] = [
  0,
  7,
  PRUNED - 1,
  PRUNED,
  PRUNED + 5,
  FINAL - 1,
  FINAL,
  HEAD,
].flatMap((first) => [first, Math.min(first + 6, HEAD), HEAD].map((last) => [first, last] as const));

describe("after intervals that ended by a block are gone", () => {
  const before = new Map<string, string>();
  const each = async (
    sql: Sql,
    use: (name: string, text: string, range: readonly [number, number]) => Promise<void>,
  ) => {
    for (const setting of settings) {
      await sql.unsafe(`reset all; ${setting}`);
      for (const [way, sent] of Object.entries(ways))
        for (const [name, text] of Object.entries(texts))
          for (const range of requestedRanges) await use(`${name}, ${way}, ${setting}, ${range}`, sent(text), range);
    }
  };
  let sql: Awaited<ReturnType<Sql["reserve"]>>;
  let compared = 0;

  beforeAll(async () => {
    sql = await database.sql.reserve();
    await each(sql, async (name, text, range) => void before.set(name, await answered(sql, text, range)));
    for (const { name } of [holdings, v3Pools, v3Positions, v2Reserves])
      await sql.unsafe(
        `delete from ${fold}.${name}_interval where to_block <= ${PRUNED}; analyze ${fold}.${name}_interval`,
      );
    await sql`insert into tidemark.pruned (chain_id, fold, first, last) values (1, ${fold}, -1, ${PRUNED - 1})`;
  });
  afterAll(() => sql?.release());

  it("answers blocks from there on as before, and refuses every block below, naming it", async () => {
    const refused = { count: 0 };
    await each(sql, async (name, text, range) => {
      if (range[0] >= PRUNED) {
        expect(await answered(sql, text, range), name).toBe(before.get(name));
        compared += 1;
        return;
      }
      const error = await answered(sql, text, range).catch((thrown: unknown) => thrown);
      const found = prunedRangeOf(error);
      expect(found?.first, `${name}: ${error}`).toBe(range[0]);
      refused.count += 1;
    });
    expect(compared).toBe(settings.length * 2 * Object.keys(texts).length * 15);
    expect(refused.count).toBe(settings.length * 2 * Object.keys(texts).length * 9);
    expect([...before.values()].filter((rows) => rows !== "").length).toBeGreaterThan(before.size / 2);
  });

  it("gives no rows of them to the lake's writer and the SQL process", async () => {
    const reads = (after: number) => [
      historyText(holdings, { fold, after, upTo: FINAL }),
      endedText(holdings, { fold, after, upTo: FINAL }),
      endedText(islands, { fold, after, upTo: FINAL }),
    ];
    for (const text of reads(PRUNED - 1))
      expect(prunedRangeOf(await sql.unsafe(text).catch((error: unknown) => error))).toEqual({
        first: PRUNED - 1,
        last: FINAL,
      });
    for (const text of reads(PRUNED)) await sql.unsafe(text);
  });
});
