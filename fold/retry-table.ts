// DDL of the tables that remember what could not be read from a contract.

/** A failure belongs to one branch of the chain: another block of the same number is tried anew. `s`: the fold's quoted schema. */
export const retryTableDdl = (s: string, table: string): string => `
create table ${s}.${table} (
  address bytea not null, block int4 not null, block_hash text not null, attempts int4 not null,
  last_error text not null, next_try timestamptz not null, since timestamptz not null default now(),
  primary key (address, block_hash));`;
