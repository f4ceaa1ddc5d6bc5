// Makes a history of balances in SQL: a few hot tokens and hub accounts, activity that grows, holders that leave. It has the
// same numbers every time: every draw is a hash of the change's number.
import type { Sql } from "postgres";
import { HOT, LONGER, type Size } from "./sizes.ts";

/** A number in [0, 1) for change `i`. */
const draw = (seed: number, i = "i"): string =>
  `((hashint8extended(${i}, ${seed}) & 9007199254740991)::float8 / 9007199254740992)`;

/** About 25 digits, as amounts of a token with 18 decimals have. */
const amount = (seed: number, i = "i"): string =>
  `((${draw(seed, i)} * 9e8 + 1e6)::int8 * 1e16::numeric + (${draw(seed + 1, i)} * 1e16)::int8)`;

/** The address of an account by number; tokens take negative ones. */
export const addressOf = (n: string): string => `substring(sha256(int4send((${n})::int4)) for 20)`;
export const tokenAddress = (token: string): string => addressOf(`-(${token})`);

/**
 * Table `made.change` (token, account, block, balance, next_block): the balance from the end of `block` on, zero
 * included, at most one row per token, account and block. `next_block` is null for the last one.
 */
export async function generateChanges(db: Sql, size: Size): Promise<number> {
  const { changes, blocks, tokens, hotAccounts } = size;
  await db.unsafe(`
    create schema made;
    set work_mem = '1GB';
    create unlogged table made.account as
      select n, ${addressOf("n")} as address from generate_series(1, ${hotAccounts}) n;
    analyze made.account`);
  await db.unsafe(`
    create unlogged table made.change as
    with place as (
      select i, token, ceil(${blocks} * sqrt(i::float8 / ${changes}))::int4 as block,
             greatest(ceil(${hotAccounts} * power(i::float8 / ${changes}, 0.8)
                           / case when token = ${HOT} then 1 else 20 end), 2) as pool
        from (select i, case when ${draw(1)} < 0.51 then ${HOT} else ${HOT} + floor(exp(${draw(2)} * ln(${tokens - 1}::float8)))::int4 end as token
                from generate_series(1::int8, ${changes}) i) t),
    drawn as (
      select distinct on (token, n, block) token, n, block,
             case when ${draw(5)} < 0.24 then 0 else ${amount(6)} end as balance
        from (select *, case when ${draw(3)} < 0.3 then floor(exp(${draw(4)} * ln(pool)))
                             else 1 + floor(${draw(4)} * pool) end::int4 as n from place) p
       order by token, n, block, i desc),
    changed as (
      select token, n, block, balance from (select *, lag(balance) over (partition by token, n order by block) as before from drawn) d
       where balance <> coalesce(before, 0))
    select c.token, a.address as account, c.block, c.balance, c.next_block
      from (select *, lead(block) over (partition by token, n order by block) as next_block from changed) c
      join made.account a using (n);
    analyze made.change`);
  const [row] = await db.unsafe("select count(*)::int as n from made.change");
  await db.unsafe("reset work_mem");
  return Number(row?.n);
}

/** `made.steady_short` and `made.steady_long`: the same holders at every block, one history LONGER times the other. */
export async function generateSteady(db: Sql, { blocks, steadyHolders, steadyChanges }: Size): Promise<void> {
  const lengths = { steady_short: steadyChanges, steady_long: steadyChanges * LONGER };
  for (const [table, changes] of Object.entries(lengths))
    await db.unsafe(`
      create unlogged table made.${table} as
      select ${HOT} as token, a.address as account, block, ${amount(20, "block::int8 * 100003 + a.n")} as balance,
             lead(block) over (partition by a.n order by block) as next_block
        from made.account a, lateral (
          select 1 + floor((j + ${draw(22, `a.n::int8 * 100003 + j`)}) * ${blocks - 2}::float8 / ${changes})::int4 as block
            from generate_series(0, ${changes - 1}) j) c
       where a.n <= ${steadyHolders}`);
}

/** Tables `made.floor_<moment>` (account, amount): exactly the rows that an answer has, one after the other. */
export async function writeFloors(db: Sql, blocks: Readonly<Record<string, number>>): Promise<void> {
  for (const [moment, block] of Object.entries(blocks))
    await db.unsafe(`
      create table made.floor_${moment} as
      select account, balance::numeric(78,0) as amount from made.change
       where token = ${HOT} and balance > 0 and block <= ${block} and coalesce(next_block, 2147483647) > ${block}`);
  for (const moment of Object.keys(blocks)) await db.unsafe(`vacuum (analyze) made.floor_${moment}`);
}
