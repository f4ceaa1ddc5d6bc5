// DDL of a history, from its declaration.
import { type History, keyColumns } from "../../core/history/history.ts";

const typed = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([column, type]) => `${column} ${type} not null`)
    .join(", ");

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
`;
}

/** The tables that grow with the facts, and so want vacuuming. */
export const historyTables = ({ name }: History): string[] => [`${name}_current`, `${name}_interval`];
