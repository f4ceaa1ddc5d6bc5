// The lake in ClickHouse's engine: read from its files, and loaded into the tables of one server.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { statementsOf } from "../../lake/clickhouse/schema.ts";
import type { ChdbSession } from "./chdb.ts";

/** Names of databases: one with views over the files, one with tables. */
export const FILES = "files";
export const SERVER = "server";

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../ops/clickhouse/${path}`, import.meta.url)), "utf8");

/** A text of `ops/clickhouse/questions/`. */
export const questionText = (name: string): string => read(`questions/${name}.sql`);

/** `folder`: the lake's folder of the chain. @returns bytes of the holdings' tables, merged as far as possible */
export function writeClickHouse(chdb: ChdbSession, folder: string): number {
  for (const [database, file] of [
    [FILES, "files.sql"],
    [SERVER, "server.sql"],
  ] as const) {
    chdb.query(`create database ${database}`);
    chdb.query(`use ${database}`);
    for (const text of statementsOf(read(file))) chdb.query(text.replaceAll("LAKE", folder));
  }
  for (const table of ["holding_closed", "holding_open", "lake_segment"])
    chdb.query(`insert into ${SERVER}.${table} select * from ${FILES}.${table}`);
  for (const table of ["holding_closed", "holding_open"]) chdb.query(`optimize table ${SERVER}.${table} final`);
  const parts = `select sum(bytes_on_disk) from system.parts
    where active and database = '${SERVER}' and table in ('holding_closed', 'holding_open')`;
  return Number(chdb.query(parts, "TabSeparated"));
}
