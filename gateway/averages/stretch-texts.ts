// SQL texts of the additive ledgers over a range of blocks. The range is in the parameters: a text stays the same from request to
// request. A stretch ends (`until`) before the end of that block; one that goes on has the largest int4.
import { holdings } from "../../core/history/histories.ts";
import { assetsOfAccount } from "../history/holdings-at.ts";
import { stretchesOfGroup, stretchesOfKey, untilOrLast } from "../history/stretches.ts";

const OF_ASSET = "a.kind = u.kind and a.key = decode(substr(u.key, 3), 'hex')";

const ofKey = (fold: string, account: string, range: readonly [string, string]): string =>
  stretchesOfKey(holdings, {
    ...{ fold, ranges: `(values (${range.join(", ")})) w(first, last)`, upTo: range[1] },
    key: { asset: "a.id", account },
    select: (row) => `${row}.amount`,
  });

const ofGroup = (fold: string, [first, last]: readonly [string, string]): string => `
  (select * from (${stretchesOfGroup(holdings, {
    ...{ fold, of: { asset: "a.id" }, first, last },
    select: (row) => `${row}.account, ${row}.amount`,
  })}) s where (s.until is null or s.until > ${first}) and s.amount > 0)`;

/** $1 kinds, $2 keys, $3 accounts, $4 first block, $5 last: (place, since, until, amount). */
export const amountStretchesText = (fold: string): string => `
  select u.place::int4 as place, l.since, ${untilOrLast("l.until")}, l.amount::text as amount
    from unnest(string_to_array($1, ','), string_to_array($2, ','), string_to_array($3, ','))
         with ordinality as u(kind, key, account, place)
    join ${fold}.asset a on ${OF_ASSET}
   cross join lateral (${ofKey(fold, "decode(substr(u.account, 3), 'hex')", ["$4::int4", "$5::int4"])}) l`;

/** $1 kinds, $2 keys, $3 first block, $4 last: (place, account, since, until, amount). */
export const holderStretchesText = (fold: string): string => `
  select u.place::int4 as place, '0x' || encode(l.account, 'hex') as account, l.since,
         ${untilOrLast("l.until")}, l.amount::text as amount
    from unnest(string_to_array($1, ','), string_to_array($2, ',')) with ordinality as u(kind, key, place)
    join ${fold}.asset a on ${OF_ASSET}
   cross join lateral ${ofGroup(fold, ["$3::int4", "$4::int4"])} l`;

/** The same parameters: (place, block, delta), by which what all hold together changes in each block; what was there before changes it in the first. */
export const totalChangesText = (fold: string): string => `
  select place, block, sum(delta)::text as delta from (
    select u.place::int4 as place, c.block, c.delta
      from unnest(string_to_array($1, ','), string_to_array($2, ',')) with ordinality as u(kind, key, place)
      join ${fold}.asset a on ${OF_ASSET}
     cross join lateral ${ofGroup(fold, ["$3::int4", "$4::int4"])} l
     cross join lateral (values (greatest(l.since, $3::int4), l.amount), (l.until, -l.amount)) c(block, delta)) changes
   where block is not null group by place, block having sum(delta) <> 0 order by place, block`;

/** $1 lists of kinds, with bars between, $2 contracts, $3 last block: (place, kind, token) that the kinds list the contract for by then, or later. */
export const listingsText = (fold: string): string => `
  select u.place::int4 as place, a.kind, '0x' || encode(a.key, 'hex') as token
    from unnest(string_to_array($1, ','), string_to_array($2, ',')) with ordinality as u(kinds, contract, place)
   cross join lateral (select decode(substr(u.contract, 3), 'hex') as account) h
   cross join lateral (${assetsOfAccount(fold, { account: "h.account", block: "$3::int4" })}) held
    join ${fold}.asset a on a.id = held.asset and a.kind = any(string_to_array(u.kinds, '|')) and a.key <> ''`;
