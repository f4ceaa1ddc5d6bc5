// Every kind of history says in its recent versions what a block has changed: stored answers are valid until such a change.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { histories } from "../../core/history/histories.ts";
import { type History, keyColumns, valueColumns } from "../../core/history/history.ts";
import { createFold } from "../../fold/fold-schema.ts";
import { quoted } from "../../fold/tables.ts";
import { type ChangeRow, changesText, changing } from "../../gateway/database/recent-changes.ts";
import { createFactTables } from "../support/index-fixture.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const FOLD = "fold_changes";
const [HEAD, CHANGED, ID] = [100, 101, 7];
const TOKEN = `0x${"ab".repeat(20)}`;

let database: TestDatabase;

const bytes = (hex: string) => `decode('${hex.slice(2)}', 'hex')`;

const literalOf = (type: string): string => (type === "int4" ? String(ID) : type === "bytea" ? bytes(TOKEN) : "5");

/** A version of `history` in {@link CHANGED}, of the asset or contract with the number {@link ID}. */
const versionText = (history: History, key: Readonly<Record<string, string>> = {}): string => {
  const columns = { ...history.key, ...history.values };
  const names = [...keyColumns(history), ...valueColumns(history)];
  const values = names.map((name) => key[name] ?? literalOf(columns[name] ?? ""));
  return `insert into ${FOLD}.${history.name}_recent (block, ${names.join(", ")}) values (${CHANGED}, ${values.join(", ")})`;
};

async function changed(): Promise<string[]> {
  const rows = await database.sql.unsafe<ChangeRow[]>(changesText(FOLD), [String(HEAD), String(HEAD)]);
  return rows.flatMap(({ block, thing }) => (block === CHANGED && thing !== null ? [thing] : [])).sort();
}

beforeAll(async () => {
  database = await startTestDatabase();
  const { sql } = database;
  await createFactTables(sql, "facts_changes");
  const identity = {
    chainId: 31337,
    ponderSchema: "facts_changes",
    foldSchema: FOLD,
    firstBlock: 0,
    weth9: [],
    erc4626: [],
  };
  await createFold(sql, identity, { buildId: "fixture", factOid: "0" });
  await sql.unsafe(`
    update ${quoted(FOLD)}.meta set finalized = ${HEAD}, head = ${CHANGED};
    insert into ${FOLD}.asset values (${ID}, 'erc20', ${bytes(TOKEN)}, 1, 0), (8, 'pair', '', 1, 1)`);
});
beforeEach(() => database.sql.unsafe(histories.map(({ name }) => `truncate ${FOLD}.${name}_recent`).join(";")));
afterAll(() => database?.stop());

const things: Readonly<Record<string, readonly string[]>> = {
  holding: [changing.asset({ kind: "erc20", key: TOKEN }), changing.kind("erc20")],
  v3_pool: [changing.v3Pool(ID)],
  v3_tick: [changing.v3Pool(ID)],
  v3_position: [changing.v3Pool(ID)],
  v3_nft: [changing.v3Pool(ID)],
  island: [changing.island(ID), changing.islands],
  // answers about these are stored under the block itself
  v2_reserve: [],
  launch_curve: [],
};

describe("what a block has changed", () => {
  it.each(histories.map((history) => [history.name, history] as const))(
    "is named by a version of %s",
    async (name, history) => {
      await database.sql.unsafe(versionText(history));
      expect(await changed()).toEqual([...(things[name] ?? ["nobody has said what"])].sort());
    },
  );

  it("is the supply of a token by a version of asset 0", async () => {
    const [holding] = histories.filter(({ name }) => name === "holding");
    await database.sql.unsafe(versionText(holding as History, { asset: "0" }));
    expect(await changed()).toEqual([changing.supply(TOKEN)]);
  });

  it("is which contracts are listed by a version of an asset without a key", async () => {
    const [holding] = histories.filter(({ name }) => name === "holding");
    await database.sql.unsafe(versionText(holding as History, { asset: "8" }));
    expect(await changed()).toContain(changing.listed);
  });
});
