// DDL of the as-of tables of states that contracts tell whole: see core/told/told-state.ts.
import { type ToldState, toldStates } from "../../core/told/told-state.ts";

const values = ({ columns }: ToldState): string => columns.map((column) => `${column} numeric not null`).join(", ");

/** The tables that grow with the facts, and so want vacuuming. */
export const toldHistoryTables = ({ table }: ToldState): readonly string[] => [`${table}_current`, `${table}_interval`];

/**
 * `s` is the fold's quoted schema. `_interval` rows held by the end of `from_block` up to and including `to_block - 1`,
 * `_current` rows since the end of `since`. A contract has rows from its first telling on, without gaps.
 */
export const toldTablesDdl = (s: string): string =>
  toldStates
    .map(
      (state) => `
create table ${s}.${state.table}_current (${state.contract} bytea primary key, since int4 not null, ${values(state)}) with (fillfactor = 70);
create table ${s}.${state.table}_interval (
  ${state.contract} bytea not null, from_block int4 not null, to_block int4 not null, lvl int2 not null, ${values(state)});
`,
    )
    .join("");

/** Built after the first bulk load. */
export const toldIndexesDdl = (s: string): string =>
  toldStates
    .map(
      ({ table, contract }) => `
create unique index if not exists ${table}_interval_by_${contract} on ${s}.${table}_interval (${contract}, to_block);
`,
    )
    .join("");
