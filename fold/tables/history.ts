// DDL of a history, from its declaration.
import { type History, keyColumns } from "../../core/history/history.ts";

const typed = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([column, type]) => `${column} ${type} not null`)
    .join(", ");

/** Numbers are only added up and sorted, and no row is looked up by one: sampling them makes ANALYZE slow and improves no plan. */
function withoutStatistics(table: string, values: Readonly<Record<string, string>>): string {
  const numbers = Object.keys(values).filter((column) => values[column]?.startsWith("numeric"));
  const settings = numbers.map((column) => `alter column ${column} set statistics 0`);
  return settings.length === 0 ? "" : `alter table ${table} ${settings.join(", ")};\n`;
}

/** `s` is the fold's quoted schema; `fillfactor` of the current rows, for those that are renewed in place. */
export function historyTablesDdl(s: string, history: History, { fillfactor = 100 } = {}): string {
  const { name, key, values } = history;
  const keys = keyColumns(history).join(", ");
  return `
create table ${s}.${name}_current (${typed(key)}, since int4 not null, ${typed(values)}, primary key (${keys}))
  with (fillfactor = ${fillfactor}, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_scale_factor = 0.05);
create table ${s}.${name}_interval (
  ${typed(key)}, from_block int4 not null, to_block int4 not null, lvl int2 not null, ${typed(values)})
  with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 20000,
        autovacuum_analyze_scale_factor = 0.05);
create table ${s}.${name}_recent (${typed(key)}, block int4 not null, ${typed(values)}, primary key (${keys}, block))
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index on ${s}.${name}_recent (block);
${[`${name}_current`, `${name}_interval`].map((table) => withoutStatistics(`${s}.${table}`, values)).join("")}`;
}

/**
 * The index that finds the interval of one entity at a block: it shows when the interval begins without a visit to the table.
 * Built after the first bulk load.
 */
export const intervalByKeyDdl = (s: string, history: History): string => `
create unique index if not exists ${history.name}_interval_by_key on ${s}.${history.name}_interval
  (${keyColumns(history).join(", ")}, to_block) include (from_block);`;

/** The tables that grow with the facts, and so need vacuuming. */
export const historyTables = ({ name }: History): string[] => [`${name}_current`, `${name}_interval`];
