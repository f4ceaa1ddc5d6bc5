// Every log of every protocol on the seeded devnet is one row, with the log's own values: none missing, none twice, none
// that precedes its factory's announcement lost.
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postOne } from "../../devnet/json-rpc.ts";
import { addressesOf, type ChainLog, logsOf, rules } from "../facts/census.ts";
import { factDifferences, placesIn } from "../facts/comparison.ts";
import { argumentsOf, valueFor } from "../facts/values.ts";
import { openSeededSql, seeded, seededChain } from "./seeded-index.ts";

const { ponderSchema: schema } = seeded;
const chain = seededChain();
let sql: Sql;
let logs: ChainLog[];

beforeAll(async () => {
  sql = openSeededSql();
  logs = await postOne<ChainLog[]>(seeded.rpcUrl, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
});
afterAll(() => sql.end({ timeout: 2 }));

describe("backfill", () => {
  test("rows are logs, in every table", async () => {
    expect(await factDifferences({ sql, schema }, chain, logs)).toEqual([]);
  });

  test("every table has rows", async () => {
    const empty: string[] = [];
    for (const table of new Set(rules.map((rule) => rule.table)))
      if ((await placesIn({ sql, schema }, table)).length === 0) empty.push(table);
    expect(empty).toEqual([]);
  });

  test("no log of a known contract but approvals is without a rule", () => {
    const emitters = new Set(rules.flatMap(({ emitter }) => [...(emitter ? addressesOf(emitter, chain, logs) : [])]));
    const covered = new Set(rules.flatMap((rule) => logsOf(rule, chain, logs)));
    const uncovered = logs.filter(
      (log) => emitters.has(log.address) && !covered.has(`${Number(log.blockNumber)}/${Number(log.logIndex)}`),
    );
    expect(new Set(uncovered.map((log) => argumentsOf(log)?.name))).toEqual(new Set(["Approval"]));
  });

  test("there are at most 30 fact tables", async () => {
    const [row] = await sql`select count(*)::int as n from pg_tables
      where schemaname = ${schema} and tablename !~ '^_'`;
    expect(row?.n).toBe(new Set(rules.map((rule) => rule.table)).size + 1);
    expect(row?.n).toBeLessThanOrEqual(30);
  });
});

/** Columns that are not of the event itself. */
const ours = new Set(["block", "log_index", "tx_index", "timestamp", "kind", "protocol", "event"]);

/** The values of a row that come from its log, as text. */
const valuesIn = (row: Record<string, unknown>): string[] =>
  Object.entries(row)
    .filter(([column, value]) => !ours.has(column) && value !== null)
    .flatMap(([column, value]) => (column === "args" ? Object.values(value as object) : [value]))
    .map((value) => String(value).toLowerCase())
    .sort();

/** What such a row must hold: the address and the arguments of its log. */
function valuesOf(log: ChainLog, { table, kind }: { table: string; kind: unknown }): string[] {
  const values = Object.values(argumentsOf(log)?.args ?? {});
  if (kind === "distributed") return values.sort(); // the distributor is not the vault
  if (kind === "redeemed") return [...values, log.address, log.address].sort(); // the token is the vault, too
  const liquidity = table === "v3_liquidity" && kind === "collect" ? ["0"] : []; // a collect moves none
  return [...values, ...liquidity, log.address].sort();
}

/** Values of a row that its log does not have, or has otherwise. */
function errorsIn(row: Record<string, unknown>, table: string, log: ChainLog): string[] {
  const { args } = argumentsOf(log) ?? { args: {} };
  const misplaced = Object.entries(row).flatMap(([column, value]) => {
    if (ours.has(column) || value === null || column === "args") return [];
    // the distributor's logs name the vault that they are of
    const expected = valueFor(row.kind === "distributed" && column === "vault" ? "receiver" : column, args);
    return expected === undefined || expected === String(value)
      ? []
      : [`${table}.${column}: ${value}, not ${expected}`];
  });
  const [values, expected] = [valuesIn(row).join(), valuesOf(log, { table, kind: row.kind }).join()];
  return values === expected ? misplaced : [...misplaced, `${table}: ${values}, not ${expected}`];
}

describe("values", () => {
  test("a row has its log's address and arguments, each in its column, and nothing else", async () => {
    const logAt = new Map(logs.map((log) => [`${Number(log.blockNumber)}/${Number(log.logIndex)}`, log]));
    const wrong: string[] = [];
    for (const table of new Set(rules.map((rule) => rule.table)))
      for (const row of await sql`select * from ${sql(schema)}.${sql(table)}`) {
        const log = logAt.get(`${row.block}/${row.log_index}`);
        wrong.push(...(log ? errorsIn(row, table, log) : [`${table}: ${row.block}/${row.log_index} is no log`]));
      }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test("places and times are the blocks'", async () => {
    for (const table of new Set(rules.map((rule) => rule.table)))
      expect(
        await sql`select f.block from ${sql(schema)}.${sql(table)} f
          left join ${sql(schema)}.block b on b.number = f.block and b.timestamp = f.timestamp
          where b.number is null`,
      ).toHaveLength(0);
  });
});
