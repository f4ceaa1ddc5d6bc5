// Texts over final and recent history against the plainest reference: at every block, wherever the last final one lies.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AsOfText, rowsAt, rowsOfGroup, rowsOfGroups } from "../../../core/history/as-of.ts";
import { holdings, v2Reserves, v3Nfts, v3Pools, v3Positions, v3Ticks } from "../../../core/history/histories.ts";
import { type History, keyColumns, valueColumns } from "../../../core/history/history.ts";
import { deploymentDdl, foldIndexesDdl, foldTablesDdl } from "../../../fold/tables.ts";
import { assetsOfAccount } from "../../../gateway/history/holdings-at.ts";
import { rowOfKey } from "../../../gateway/history/row-of-key.ts";
import { stretchesOfAll, stretchesOfGroup, stretchesOfKey } from "../../../gateway/history/stretches.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";
import {
  addressOf,
  type Range,
  randomEntities,
  randomOf,
  stateAt,
  stretchesIn,
  type Values,
  type Versioned,
  writeEntities,
} from "./versioned-entities.ts";

const HEAD = 40;
const FOLD = "fold_as_of";
const BLOCK = "$1::int4";

const random = randomOf(20_260);
const all = randomEntities(random, HEAD);
const versioned = ({ name }: History): Versioned => all.get(name) as Versioned;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await database.sql.unsafe(deploymentDdl + foldTablesDdl(FOLD) + foldIndexesDdl(FOLD));
  await database.sql.unsafe(
    `insert into ${FOLD}.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, finalized, head)
     values (1, 'facts', 'build', 1, 0, 0, ${HEAD})`,
  );
});
afterAll(() => database?.stop());

/** All columns of a row as one text; further columns come first. */
const line = (history: History, further: readonly string[] = []) => {
  const columns = [...further, ...keyColumns(history), ...valueColumns(history)];
  return {
    of: (values: Values): string => columns.map((column) => values[column]).join(" "),
    text: (row: string): string => `concat_ws(' ', ${columns.map((column) => `${row}.${column}`).join(", ")}) as line`,
  };
};

async function lines(text: string, parameters: readonly (string | number)[]): Promise<string[]> {
  const rows = await database.sql.unsafe<{ line: string }[]>(text, parameters.map(String), { prepare: true });
  return rows.map((row) => row.line).sort();
}

const isLive = (row: string): string => `(${row}.liquidity > 0 or ${row}.tokens_owed0 > 0 or ${row}.tokens_owed1 > 0)`;
const isLiveRow = ({ liquidity, tokens_owed0 }: Values): boolean => liquidity !== "0" || tokens_owed0 !== "0";
const everything = (): boolean => true;

type Groups = Pick<AsOfText, "of" | "where"> & { history: History; isMeant: (row: Values) => boolean };

/** Texts that read many entities, with their parameters: all, those of a group, those of an owner. */
const groups: readonly (Groups & { text: typeof rowsAt; name: string })[] = [
  ...[holdings, v3Pools, v3Ticks, v3Positions, v3Nfts, v2Reserves].map((history) => ({
    ...{ name: `all of ${history.name}`, history, text: rowsAt, isMeant: everything },
  })),
  ...["0", "2", "9"].map((asset) => ({
    ...{ name: `holders of ${asset}`, history: holdings, text: rowsOfGroup, of: { asset } },
    isMeant: (row: Values) => row.asset === asset,
  })),
  ...["1", "3"].flatMap((pool) => [
    {
      name: `ticks of ${pool}`,
      history: v3Ticks,
      text: rowsOfGroup,
      of: { pool },
      isMeant: (row: Values) => row.pool === pool,
    },
    ...[v3Positions, v3Nfts].map((history) => ({
      ...{ name: `live ${history.name} of ${pool}`, history, text: rowsOfGroup, of: { pool }, where: isLive },
      isMeant: (row: Values) => row.pool === pool && isLiveRow(row),
    })),
  ]),
  ...[v3Positions, v3Nfts].flatMap((history) =>
    [1, 3].map((owner) => ({
      ...{
        name: `${history.name} of owner ${owner}`,
        history,
        text: rowsAt,
        of: { owner: `'${addressOf(owner)}'::bytea` },
      },
      isMeant: (row: Values) => row.owner === addressOf(owner),
    })),
  ),
];

const shown = (rows: readonly Values[], of: (values: Values) => string): string[] => rows.map(of).sort();

describe.each([-1, 0, 7, 20, 33, HEAD - 1, HEAD])("the texts, with blocks up to %i final,", (final) => {
  beforeAll(async () => {
    await writeEntities(database.sql, { schema: FOLD, final, all });
    await database.sql.unsafe(`update ${FOLD}.meta set finalized = ${final};
      truncate ${FOLD}.holder; insert into ${FOLD}.holder
      select distinct account, asset from (
        select account, asset from ${FOLD}.holding_current union select account, asset from ${FOLD}.holding_interval) h`);
  });
  const blocks = Array.from({ length: HEAD + 1 }, (_, block) => block);

  it("give whole groups at every block", async () => {
    for (const { name, history, text, isMeant, ...terms } of groups) {
      const { of, text: select } = line(history);
      const rows = text(history, { fold: FOLD, block: BLOCK, select, ...terms });
      for (const block of blocks)
        expect(await lines(rows, [block]), `${name} at ${block}`).toEqual(
          shown(stateAt(versioned(history), block).filter(isMeant), of),
        );
    }
  });

  it("give several groups at several blocks in one statement", async () => {
    const { of, text: select } = line(holdings);
    const rows = rowsOfGroup(holdings, { fold: FOLD, block: "b.block", of: { asset: "a.id" }, select });
    const found = await lines(
      `select b.block || ': ' || h.line as line
         from generate_series(0, $1::int4) b(block) cross join lateral (
           select h.line from unnest(array[1, 2, 3]) a(id) cross join lateral (${rows}) h offset 0) h`,
      [HEAD],
    );
    const expected = blocks.flatMap((block) =>
      stateAt(versioned(holdings), block)
        .filter(({ asset }) => asset !== "0")
        .map((row) => `${block}: ${of(row)}`),
    );
    expect(found).toEqual(expected.sort());
  });

  it("give many groups read together", async () => {
    const live = { where: isLive, isMeant: isLiveRow };
    for (const { history, column, ids, isMeant, ...terms } of [
      { history: holdings, column: "asset", ids: [3, 0, 1, 8], isMeant: everything },
      { history: v3Ticks, column: "pool", ids: [1, 2], isMeant: everything },
      { history: v3Positions, column: "pool", ids: [1, 3], ...live },
      { history: v3Nfts, column: "pool", ids: [3, 2], ...live },
    ]) {
      const { of, text: select } = line(history);
      const values = "string_to_array($2, ',')::int4[]";
      const rows = rowsOfGroups(history, { fold: FOLD, block: BLOCK, column, values, select, ...terms });
      for (const block of blocks) {
        const expected = stateAt(versioned(history), block).filter(
          (row) => ids.includes(Number(row[column])) && isMeant(row),
        );
        expect(await lines(rows, [block, ids.join(",")]), `${history.name} at ${block}`).toEqual(shown(expected, of));
      }
    }
  });

  it("give each of many entities by its key", async () => {
    for (const { history, entities } of all.values()) {
      const { of, text: select } = line(history);
      const key = Object.fromEntries(keyColumns(history).map((column) => [column, `wanted.${column}`]));
      const types = Object.entries(history.key).map(([column, type]) => `${column} ${type}`);
      const text = `select r.line from json_to_recordset($2::text::json) wanted(${types.join(", ")})
        cross join lateral (${rowOfKey(history, { fold: FOLD, block: BLOCK, key, select })}) r`;
      const keys = JSON.stringify(entities.map((entity) => entity.key));
      for (const block of blocks)
        expect(await lines(text, [block, keys]), `${history.name} at ${block}`).toEqual(
          shown(stateAt(versioned(history), block), of),
        );
    }
  });

  it("name at least the assets that an account has", async () => {
    for (const account of [1, 4, 6])
      for (const block of blocks) {
        const text = assetsOfAccount(FOLD, { account: "$2::text::bytea", block: BLOCK });
        const found = await lines(`select asset::text as line from (${text}) a`, [block, addressOf(account)]);
        const held = stateAt(versioned(holdings), block).filter((row) => row.account === addressOf(account));
        for (const { asset } of held) expect(found).toContain(asset);
        expect(new Set(found).size).toBe(found.length);
      }
  });

  const someRanges = (): Range[] => {
    const ends = Array.from({ length: 2 + 2 * Math.floor(random() * 3) }, () => Math.floor(random() * (HEAD + 1)));
    ends.sort((a, b) => a - b);
    return ends.flatMap((first, i) => (i % 2 === 0 ? [{ first, last: ends[i + 1] as number }] : []));
  };
  const RANGES = "unnest(string_to_array($1, ',')::int4[], string_to_array($2, ',')::int4[]) w(first, last)";
  const parametersOf = (ranges: readonly Range[]): string[] => [
    ranges.map(({ first }) => first).join(","),
    ranges.map((range) => range.last).join(","),
    String(ranges.at(-1)?.last),
  ];
  const marked = (history: History) => {
    const { of, text } = line(history, ["since", "until"]);
    return { of, line: text("s").replace("s.until", "coalesce(s.until::text, '-')") };
  };
  const columnsOf = (history: History) => (row: string) =>
    [...keyColumns(history), ...valueColumns(history)].map((column) => `${row}.${column}`).join(", ");

  it("give what held when in ranges of blocks", async () => {
    for (let turn = 0; turn < 12; turn++) {
      const ranges = someRanges();
      const upTo = ranges.at(-1)?.last as number;
      const terms = { fold: FOLD, ranges: RANGES, upTo: "$3::int4" };
      for (const { history, entities, isNothing } of all.values()) {
        const { of, line: shownLine } = marked(history);
        const expected = shown(stretchesIn(versioned(history), ranges, upTo), of);
        const key = Object.fromEntries(keyColumns(history).map((column) => [column, `wanted.${column}`]));
        const types = Object.entries(history.key).map(([column, type]) => `${column} ${type}`);
        const each = `select distinct ${shownLine} from json_to_recordset($4::text::json) wanted(${types.join(", ")})
          cross join lateral (${stretchesOfKey(history, { ...terms, key, select: columnsOf(history) })}) s`;
        const keys = JSON.stringify(entities.map((entity) => entity.key));
        const place = `${history.name} in ${JSON.stringify(ranges)}`;
        expect(await lines(each, [...parametersOf(ranges), keys]), place).toEqual(expected);
        if (history.nothing !== undefined) continue;
        expect(entities.every(({ versions }) => versions.every(({ values }) => !isNothing(values)))).toBe(true);
        const every = stretchesOfAll(history, { ...terms, select: columnsOf(history) });
        expect(await lines(`select distinct ${shownLine} from (${every}) s`, parametersOf(ranges)), place).toEqual(
          expected,
        );
      }
    }
  });

  it("give what held when for a group, and for an entity page by page", async () => {
    for (let turn = 0; turn < 12; turn++) {
      const [range] = someRanges() as [Range];
      const { of, line: shownLine } = marked(holdings);
      const select = columnsOf(holdings);
      const meant = stretchesIn(versioned(holdings), [range], range.last);
      const group = stretchesOfGroup(holdings, {
        fold: FOLD,
        of: { asset: "1" },
        first: BLOCK,
        last: "$2::int4",
        select,
      });
      expect(await lines(`select ${shownLine} from (${group}) s`, [range.first, range.last])).toEqual(
        shown(
          meant.filter(({ asset }) => asset === "1"),
          of,
        ),
      );
      const key = { asset: "2", account: `'${addressOf(3)}'::bytea` };
      const page = stretchesOfKey(holdings, { fold: FOLD, ranges: RANGES, upTo: "$3::int4", key, select, most: 2 });
      const found: string[] = [];
      for (let { first } = range; ; ) {
        const parameters = parametersOf([{ ...range, first }]);
        const rows = await database.sql.unsafe(`select s.until, ${shownLine} from (${page}) s`, parameters);
        found.push(...rows.map((row) => String(row.line)));
        if (rows.length < 2 || rows[1]?.until === null) break;
        first = rows[1]?.until;
      }
      const one = meant.filter(({ asset, account }) => asset === "2" && account === addressOf(3));
      expect(found).toEqual(one.map(of));
    }
  });
});
