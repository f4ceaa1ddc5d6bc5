// DDL of the tables that remember what could not be read from a contract.

/**
 * A failure belongs to one branch of the chain: another block of the same number is tried anew. `refusals` are those of the attempts to
 * which the node answered that it lacks the state. `s`: the fold's quoted schema.
 */
export const retryTableDdl = (s: string, table: string): string => `
create table ${s}.${table} (
  address bytea not null, block int4 not null, block_hash text not null, attempts int4 not null,
  refusals int4 not null default 0, last_error text not null, next_try timestamptz not null, since timestamptz not null default now(),
  primary key (address, block_hash));`;
