// SQL texts of the additive ledgers at a block. The block is a parameter: a text stays the same from request to request.
import { type AsOf, longestClass } from "../ledger/as-of.ts";
import { endedIntervals } from "../ledger/ended-intervals.ts";
import { OTHERS } from "./focus.ts";

/** $1 kinds, $2 keys, $3 block: (place, account, amount). */
export const holdersText = (at: AsOf): string => `
    select u.place::int4 as place, '0x' || encode(h.account, 'hex') as account, h.amount::text as amount
      from ${heldAssets(at)}`;

/** $1 kinds, $2 keys, $3 block, $4 accounts that are told apart: the same, all others summed up. */
export const focusedHoldersText = (at: AsOf): string => `
    select u.place::int4 as place, coalesce('0x' || encode(near.account, 'hex'), '${OTHERS}') as account,
           sum(h.amount)::text as amount
      from ${heldAssets(at)}
      left join (select decode(substr(a, 3), 'hex') as account from unnest(string_to_array($4, ',')) a) near
        on near.account = h.account
     group by u.place, near.account`;

/** $1 kinds, $2 keys, $3 block: (place, amount), what all accounts hold. */
export const totalsText = (at: AsOf): string =>
  `select u.place::int4 as place, sum(h.amount)::text as amount from ${heldAssets(at)} group by u.place`;

/** Relations `u` (place) and `h` (account, amount) over $1 kinds, $2 keys and $3 block. Nothing in `holding_interval` reaches beyond the watermark. */
function heldAssets({ fold, folded, point }: AsOf): string {
  const ended = endedIntervals({ fold, asset: "a.id", block: "$3::int4", longest: longestClass({ point }) });
  return `
           unnest(string_to_array($1, ','), string_to_array($2, ',')) with ordinality as u(kind, key, place)
      join ${fold}.asset a on a.kind = u.kind and a.key = decode(substr(u.key, 3), 'hex')
     cross join lateral (${folded < point.watermark ? `${ended} union all` : ""}
      select account, amount from ${fold}.holding_current where asset = a.id and since <= $3::int4) h`;
}

/** $1 kinds, $2 the account, $3 block. */
export const heldByText = ({ fold }: AsOf): string => `
    select a.kind, '0x' || encode(a.key, 'hex') as key, coalesce(c.amount, l.amount, 0)::text as amount
      from ${fold}.holder h
      join ${fold}.asset a on a.id = h.asset
      left join ${fold}.holding_current c on c.asset = a.id and c.account = h.account and c.since <= $3::int4
      left join lateral (
        select from_block, amount from ${fold}.holding_interval
         where asset = a.id and account = h.account and to_block > $3::int4
         order by to_block limit 1) l on c.account is null and l.from_block <= $3::int4
     where h.account = decode(substr($2, 3), 'hex') and a.kind = any(string_to_array($1, ','))`;
