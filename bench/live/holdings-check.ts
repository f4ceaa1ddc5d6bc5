// Whether the fold agrees with the facts: the made-up holdings, changed by every later transfer in Ponder's tables.
import { quoted } from "../../fold/tables.ts";
import { holdersText } from "../../gateway/history/holdings-at.ts";
import { addressOf, FINAL, FOLD, type Ground, PONDER, TOKENS } from "./ground.ts";

const CHECKED_TOKENS = 20;

/** Account and amount in wei of everybody who has something, without the zero address. */
const expectedText = (token: string): string => `
  select account, sum(amount) as amount from (
    select account, amount from (${holdersText({ fold: quoted(FOLD), asset: "$1::int4", block: String(FINAL) })}) made
    union all
    select decode(substr("to", 3), 'hex'), amount from ${PONDER}.erc20_transfer where token = ${token} and block > ${FINAL}
    union all
    select decode(substr("from", 3), 'hex'), -amount from ${PONDER}.erc20_transfer where token = ${token} and block > ${FINAL}) moved
   where account <> decode(repeat('00', 20), 'hex') group by account having sum(amount) <> 0`;

/** Compares all holders of some tokens at the end of `head`. @throws Error naming a token whose holdings differ */
export async function checkHoldings({ ponder }: Ground, head: number): Promise<void> {
  const held = holdersText({ fold: quoted(FOLD), asset: "$1::int4", block: String(head) });
  for (let i = 0; i < CHECKED_TOKENS; i++) {
    const number = Math.floor((i * TOKENS) / CHECKED_TOKENS);
    const [token] = await ponder.unsafe(`select a.id, '0x' || encode(a.key, 'hex') as address from ${FOLD}.asset a
      where a.kind = 'erc20' and a.key = decode(substr(${addressOf("token", String(number))}, 3), 'hex')`);
    const expected = expectedText(`'${token?.address}'`);
    const [row] = await ponder.unsafe(
      `with held as (${held}), expected as (${expected})
       select (select count(*)::int from expected) as holders,
              (select count(*)::int from ((table held except table expected) union all (table expected except table held)) d) as wrong`,
      [String(token?.id)],
    );
    if (row?.wrong !== 0 || !(row?.holders > 0))
      throw new Error(`${row?.wrong} holdings of ${token?.address} differ from its ${row?.holders} at block ${head}`);
  }
}
