// SQL text of questions about all blocks from one to another, over the stretches of blocks that amounts were held for.
// A stretch counts in as many blocks as it covers: nothing is sampled, and no block is read by itself.
import { holdings } from "../../core/history/histories.ts";
import type { Address } from "../parameters.ts";
import { type HoldingsPoint, holdersText, NOBODY, type Statement } from "./holdings-at.ts";
import { stretchesOfGroup, stretchesOfKey } from "./stretches.ts";

/** States at the ends of the blocks `from` to `to`, both included. */
export interface HoldingRange extends Omit<HoldingsPoint, "block"> {
  from: number;
  to: number;
}

/** Accounts with another amount at `to` than at `from`: (account, rank = what they gained, before, after). */
export function changedAmounts(range: HoldingRange): Statement {
  const { fold, assetId = -1 } = range;
  const holders = (block: number) => holdersText({ fold, asset: String(assetId), block: String(block) });
  return {
    text: `
    select account, after - before as rank, before, after from (
      select coalesce(e.account, l.account) as account, coalesce(e.amount, 0) as before, coalesce(l.amount, 0) as after
        from (${holders(range.from)}) e
        full join (${holders(range.to)}) l on l.account = e.account) both_ends
     where before <> after`,
    parameters: [],
  };
}

const weightOf = ({ from, to }: HoldingRange): string =>
  `sum(amount * (least(coalesce(until, ${to + 1}), ${to + 1}) - greatest(since, ${from})))`;

/** Everybody who held some at one of the blocks: (account, rank = the sum of the amounts at the end of every block). */
export function summedAmounts(range: HoldingRange): Statement {
  const { fold, assetId, from, to } = range;
  const stretches = stretchesOfGroup(holdings, {
    fold,
    of: { asset: String(assetId ?? -1) },
    first: String(from),
    last: String(to),
    select: (row) => `${row}.account, ${row}.amount`,
  });
  return {
    text: `
      select account, ${weightOf(range)} as rank from (${stretches}) held
       where (until is null or until > ${from}) and amount > 0 and account <> ${NOBODY} group by account`,
    parameters: [],
  };
}

/** The same for `accounts`, zeros included: (place, account, rank). The zero address is nobody's and has 0. */
export function summedAmountsOf(range: HoldingRange, accounts: readonly Address[]): Statement {
  const { fold, assetId, from, to } = range;
  const stretches = stretchesOfKey(holdings, {
    fold,
    ranges: `(values (${from}, ${to})) w(first, last)`,
    upTo: String(to),
    key: { asset: String(assetId ?? -1), account: "a.account" },
    select: (row) => `${row}.amount`,
  });
  return {
    text: `
      with wanted as materialized (
        select place, decode(substr(account, 3), 'hex') as account
          from unnest(string_to_array($1, ',')) with ordinality as u(account, place)),
      held as (select a.account, l.since, l.until, l.amount from wanted a cross join lateral (${stretches}) l)
      select a.place, a.account, case when a.account = ${NOBODY} then 0 else coalesce(${weightOf(range)}, 0) end as rank
        from wanted a left join held h on h.account = a.account and (h.until is null or h.until > ${from})
       group by a.place, a.account`,
    parameters: [accounts.join(",")],
  };
}
