// Random questions as of a block to the texts of ops/clickhouse/questions/, with the bytes of PostgreSQL's own answers.
import type { Sql } from "postgres";
import { rowsAt } from "../../core/history/as-of.ts";
import { holdings, v3Pools, v3Ticks } from "../../core/history/histories.ts";
import type { History } from "../../core/history/history.ts";
import { holdersText } from "../../gateway/history/holdings-at.ts";

export interface AsOfQuestion {
  /** Of the text's file. */
  name: string;
  parameters: Record<string, string | number>;
  /** Tab-separated rows. */
  expected: string;
}

interface Subjects {
  tokens: { id: number; address: string }[];
  accounts: string[];
  pools: { id: number; address: string }[];
}

const hex = (column: string): string => `'0x' || encode(${column}, 'hex')`;
const hexOrNone = (column: string): string => `case when ${column} = '' then '' else ${hex(column)} end`;
const NOBODY = "'\\x0000000000000000000000000000000000000000'::bytea";

/** A number in [0, 1), the same ones each time. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * `count` questions at blocks up to `last`; `facts`, `fold`: the quoted names of Ponder's and the fold's schema. Tokens in
 * quarantine are left out, as are those who had them: PostgreSQL has lost what the lake says of the blocks before.
 */
export async function asOfQuestions(
  sql: Sql,
  { facts, fold, last, count, seed }: { facts: string; fold: string; last: number; count: number; seed: number },
): Promise<AsOfQuestion[]> {
  const subjects = await readSubjects(sql, { facts, fold });
  const draw = drawing(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(draw() * of.length)] as T;
  const block = () => Math.floor(draw() * (last + 1));
  const kinds = Object.keys(texts) as (keyof typeof texts)[];
  const questions: AsOfQuestion[] = [];
  for (let i = 0; i < count; i++) {
    const name = kinds[i % kinds.length] as keyof typeof texts;
    const [from, to] = [block(), block()].sort((a, b) => a - b) as [number, number];
    const chosen = {
      token: one(subjects.tokens),
      account: one(subjects.accounts),
      pool: one(subjects.pools),
      from,
      to,
    };
    const { parameters, text } = texts[name](chosen, fold);
    const rows = await sql.unsafe(text).values();
    const expected = rows.map((row) => `${row.map(String).join("\t")}\n`).join("");
    questions.push({ name, parameters, expected });
  }
  return questions;
}

async function readSubjects(sql: Sql, { facts, fold }: { facts: string; fold: string }): Promise<Subjects> {
  const broken = `select a.id from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset`;
  const tokens = await sql.unsafe<{ id: number; address: string }[]>(
    `select id, ${hex("key")} as address from ${fold}.asset where kind = 'erc20' and id not in (${broken}) order by id`,
  );
  const accounts = await sql.unsafe<{ account: string }[]>(
    `select distinct ${hex("h.account")} as account from ${fold}.holder h
      where ${hex("h.account")} not in (
        select unnest(array[t.from, t.to]) from ${facts}.erc20_transfer t
          join ${fold}.asset a on a.kind = 'erc20' and ${hex("a.key")} = t.token where a.id in (${broken}))
      order by 1`,
  );
  const pools = await sql.unsafe<{ id: number; address: string }[]>(
    `select id, ${hex("address")} as address from ${fold}.v3_pool order by id`,
  );
  return { tokens: [...tokens], accounts: accounts.map(({ account }) => account), pools: [...pools] };
}

interface Chosen {
  token: Subjects["tokens"][number];
  account: string;
  pool: Subjects["pools"][number];
  from: number;
  to: number;
}

interface Text {
  parameters: Record<string, string | number>;
  text: string;
}

const bytea = (address: string): string => `'\\x${address.slice(2)}'::bytea`;

const valuesAt = (history: History, { fold, key, at }: { fold: string; key: Record<string, string>; at: number }) =>
  rowsAt(history, { fold, block: String(at), of: key });

const texts = {
  holders: ({ token, to }: Chosen, fold: string): Text => ({
    parameters: { token: token.address, block: to },
    text: `select ${hex("account")}, amount::text from (${holdersText({ fold, asset: String(token.id), block: String(to) })}) h
            order by h.amount desc, h.account`,
  }),
  "holder-count": ({ token, to }, fold) => ({
    parameters: { token: token.address, block: to },
    text: `select count(*)::text, coalesce(sum(amount), 0)::text
             from (${holdersText({ fold, asset: String(token.id), block: String(to) })}) h`,
  }),
  balances: ({ account, to }, fold) => ({
    parameters: { account, block: to },
    text: `select a.kind, ${hexOrNone("a.key")} as token, h.amount::text
             from (${rowsAt(holdings, { fold, block: String(to), where: (row) => `${row}.account = ${bytea(account)}` })}) h
             join ${fold}.asset a on a.id = h.asset where a.kind <> 'supply' order by a.kind collate "C", a.key`,
  }),
  supply: ({ token, to }, fold) => ({
    parameters: { token: token.address, block: to },
    text: `select amount::text from (${valuesAt(holdings, { fold, at: to, key: { asset: "0", account: bytea(token.address) } })}) s`,
  }),
  holdings: ({ token, from, to }, fold) => ({
    parameters: { token: token.address, from, to },
    text: `select ${hex("account")} as account, amount::text, greatest(begun, ${from}) as begun, least(ended, ${to} + 1) as ended
             from (select account, amount, from_block as begun, to_block as ended from ${fold}.holding_interval
                    where asset = ${token.id} and from_block <= ${to} and to_block > ${from}
                   union all
                   select account, amount, since, ${to} + 1 from ${fold}.holding_current
                    where asset = ${token.id} and since <= ${to}) h
            where account <> ${NOBODY} order by h.account, 3`,
  }),
  "v3-pool": ({ pool, to }, fold) => ({
    parameters: { pool: pool.address, block: to },
    text: `select sqrt_price_x96::text, tick, liquidity::text, fee_growth_global0_x128::text, fee_growth_global1_x128::text,
                  protocol_fees0::text, protocol_fees1::text, fee_protocol0, fee_protocol1
             from (${valuesAt(v3Pools, { fold, at: to, key: { pool: String(pool.id) } })}) p`,
  }),
  "v3-ticks": ({ pool, to }, fold) => ({
    parameters: { pool: pool.address, block: to },
    text: `select tick, liquidity_gross::text, liquidity_net::text
             from (${valuesAt(v3Ticks, { fold, at: to, key: { pool: String(pool.id) } })}) t order by tick`,
  }),
} satisfies Record<string, (chosen: Chosen, fold: string) => Text>;
