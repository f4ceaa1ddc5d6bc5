// SQL texts of the additive ledgers at a block. The block is a parameter: a text stays the same from request to request.
import { rowsOfGroup } from "../../core/history/as-of.ts";
import { holdings } from "../../core/history/histories.ts";
import type { AsOf } from "../history/as-of.ts";
import { assetsOfAccount, BLOCK } from "../history/holdings-at.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import { OTHERS } from "./focus.ts";

/** SELECT text of (address bytea) over $1, the block: every contract that `kind` lists. */
export const everyText = (fold: string, kind: string): string =>
  rowsOfGroup(holdings, {
    ...{ fold, of: { asset: `(select id from ${fold}.asset where kind = '${kind}' and key = '')` }, block: BLOCK },
    select: (row) => `${row}.account as address`,
  });

/** $1 kinds, $2 keys, $3 block: (place, account, amount). */
export const holdersText = (at: AsOf): string => `
    select u.place::int4 as place, '0x' || encode(h.account, 'hex') as account, h.amount::text as amount
      from ${heldAssets(at)}`;

/** $1 kinds, $2 keys, $3 block, $4 accounts: the same for these one by one, all others summed up. */
export const focusedHoldersText = (at: AsOf): string => `
    select u.place::int4 as place, coalesce('0x' || encode(focus.account, 'hex'), '${OTHERS}') as account,
           sum(h.amount)::text as amount
      from ${heldAssets(at)}
      left join (select decode(substr(a, 3), 'hex') as account from unnest(string_to_array($4, ',')) a) focus
        on focus.account = h.account
     group by u.place, focus.account`;

/** $1 kinds, $2 keys, $3 block: (place, amount), what all accounts hold. */
export const totalsText = (at: AsOf): string =>
  `select u.place::int4 as place, sum(h.amount)::text as amount from ${heldAssets(at)} group by u.place`;

/** Relations `u` (place) and `h` (account, amount) over $1 kinds, $2 keys and $3 block. */
const heldAssets = ({ fold }: AsOf): string => `
           unnest(string_to_array($1, ','), string_to_array($2, ',')) with ordinality as u(kind, key, place)
      join ${fold}.asset a on a.kind = u.kind and a.key = decode(substr(u.key, 3), 'hex')
     cross join lateral (${rowsOfGroup(holdings, {
       ...{ fold, of: { asset: "a.id" }, block: "$3::int4" },
       select: (row) => `${row}.account, ${row}.amount`,
     })}) h`;

const ACCOUNT = "decode(substr($2, 3), 'hex')";

/** $1 kinds, $2 the account, $3 block: (kind, key, amount above zero). */
export const heldByText = ({ fold }: AsOf): string => `
    select a.kind, '0x' || encode(a.key, 'hex') as key, held.amount::text as amount
      from (${assetsOfAccount(fold, { account: ACCOUNT, block: "$3::int4" })}) h
      join ${fold}.asset a on a.id = h.asset
     cross join lateral (${rowOfKey(holdings, {
       ...{ fold, block: "$3::int4", key: { asset: "a.id", account: ACCOUNT } },
       select: (row) => `${row}.amount`,
     })}) held
     where a.kind = any(string_to_array($1, ','))`;
