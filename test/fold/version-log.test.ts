// Versions written batch by batch have to come to what the plainest way of saying it comes to, wherever the batches end.
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyColumns, valueColumns } from "../../core/history/history.ts";
import { createFold, ensureDeployment } from "../../fold/fold-schema.ts";
import { VersionLog } from "../../fold/history/version-log.ts";
import { quoted } from "../../fold/tables.ts";
import { createPonderTables } from "../../scripts/ponder-tables.ts";
import {
  randomEntities,
  randomOf,
  type Values,
  type Versioned,
  writeEntities,
} from "../gateway/history/versioned-entities.ts";
import { emptySchema } from "../support/emptied-schema.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const PONDER = "facts_versions";
const [PLAIN, LOGGED] = ["fold_plain", "fold_logged"];
const HEAD = 60;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  const { sql } = database;
  await sql.unsafe(`create schema ${PONDER}`);
  await createPonderTables(sql, PONDER);
  await ensureDeployment(sql);
});
afterAll(() => database?.stop());

/** As COPY writes it. */
const field = (value: string): string => (value.startsWith("\\x") ? `\\${value}` : value);
const fields = (values: Values, columns: readonly string[]): string[] =>
  columns.map((column) => field(values[column] ?? ""));

const versionsAt = ({ entities }: Versioned, block: number): { key: Values; values: Values }[] =>
  entities.flatMap(({ key, versions }) =>
    versions.filter((version) => version.block === block).map(({ values }) => ({ key, values })),
  );

async function makeFolds(sql: Sql): Promise<void> {
  for (const foldSchema of [PLAIN, LOGGED]) {
    if (await emptySchema(sql, foldSchema)) continue;
    const identity = { chainId: 1, ponderSchema: PONDER, foldSchema, firstBlock: 0, weth9: [], erc4626: [] };
    await createFold(sql, identity, { buildId: "test", factOid: "0" });
  }
}

/** Block by block, in as many batches as chance has it. Resolves to how many versions were added and written. */
async function writeLog(
  sql: Sql,
  { all, final, random }: { all: ReadonlyMap<string, Versioned>; final: number; random: () => number },
): Promise<{ added: number; written: number }> {
  const log = new VersionLog([...all.values()].map(({ history }) => history));
  let [added, written] = [0, 0];
  const write = async () => {
    await sql.unsafe("begin");
    written += await log.write(sql, quoted(LOGGED));
    await sql.unsafe("commit");
  };
  const addBlock = (one: Versioned, block: number) => {
    const { history } = one;
    for (const { key, values } of versionsAt(one, block)) {
      const row = [...fields(key, keyColumns(history)), block, ...fields(values, valueColumns(history))];
      log.add(history, row, block <= final ? "final" : "recent");
      added += 1;
    }
  };
  for (let block = 0; block <= HEAD; block += 1) {
    for (const one of all.values()) addBlock(one, block);
    if (random() < 0.15) await write();
  }
  await write();
  return { added, written };
}

describe.each([1, 2, 3, 4, 5, 6])("versions of every kind of history (seed %i)", (seed) => {
  it("come to the same rows in whatever batches they are written, final ones and recent ones", async () => {
    const random = randomOf(seed);
    const final = Math.floor(random() * (HEAD + 2)) - 1;
    const all = randomEntities(random, HEAD);
    const sql = await database.sql.reserve();
    try {
      await makeFolds(sql);
      await writeEntities(sql, { schema: PLAIN, final, all });
      const { added, written } = await writeLog(sql, { all, final, random });
      expect(written).toBe(added);
      const rows = async (table: string) =>
        (await sql.unsafe(`select t::text as row from ${table} t order by 1`)).map(({ row }) => row);
      const tables = [...all.keys()].flatMap((name) =>
        ["current", "interval", "recent"].map((kind) => `${name}_${kind}`),
      );
      for (const table of tables)
        expect(await rows(`${LOGGED}.${table}`), `${table}, final up to ${final}`).toEqual(
          await rows(`${PLAIN}.${table}`),
        );
    } finally {
      sql.release();
    }
  });
});
