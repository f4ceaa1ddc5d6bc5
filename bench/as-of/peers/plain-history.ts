// Peers over the table that most indexers keep: one row per change, found by token, account and block.
import type { Sql } from "postgres";

export async function writeHistory(db: Sql): Promise<void> {
  await db.unsafe(`
    create schema plain;
    set work_mem = '512MB';
    create table plain.history as
      select token, account, block, balance::numeric(78,0) as balance from made.change order by block, token, account;
    set maintenance_work_mem = '256MB';
    alter table plain.history alter token set not null, add primary key (token, account, block);
    create table plain.holder as select distinct token, account from plain.history;
    alter table plain.holder add primary key (token, account);
    reset work_mem`);
  await db.unsafe("vacuum (analyze) plain.history");
  await db.unsafe("vacuum (analyze) plain.holder");
}

/** The last row of each account. */
export const distinctOn = (token: number, block: number): string => `
  select account, balance as amount from (
    select distinct on (account) account, balance from plain.history
     where token = ${token} and block <= ${block} order by account, block desc) last_rows
   where balance > 0`;

/** Every account that ever held the token, each looked up. */
export const lateralSeek = (token: number, block: number): string => `
  select h.account, last_row.balance as amount
    from plain.holder h cross join lateral (
      select balance from plain.history
       where token = h.token and account = h.account and block <= ${block} order by block desc limit 1) last_row
   where h.token = ${token} and last_row.balance > 0`;

/** Given accounts ($1, comma-separated 0x addresses), each looked up by the key. */
export const accountSeek = (token: number, block: number): string => `
  select u.account, coalesce(last_row.balance, 0) as amount
    from (select decode(substr(account, 3), 'hex') as account from unnest(string_to_array($1, ',')) as u(account)) u
    left join lateral (
      select balance from plain.history
       where token = ${token} and account = u.account and block <= ${block} order by block desc limit 1) last_row on true`;
