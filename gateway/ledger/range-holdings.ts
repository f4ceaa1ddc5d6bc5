// SQL text of questions about all blocks from one to another, over the fold's intervals and what happened above them.
// An interval counts in as many blocks as it covers: nothing is sampled, and no block is read by itself.
import { holdings } from "../../core/history/histories.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import { stretchesOfGroup, stretchesOfKey } from "../history/stretches.ts";
import type { Address } from "../parameters.ts";
import { everyAmount, type HoldingsPoint, holdersAt, type Statement } from "./holdings-at.ts";
import { type Movement, movementParameters, movementsCte } from "./movements.ts";
import { NO_OVERLAY } from "./overlay.ts";

/** States at the ends of the blocks `from` to `to`, both included. */
export interface HoldingRange extends Omit<HoldingsPoint, "block"> {
  from: number;
  to: number;
  /** All of the token in (watermark, to]. */
  movements: readonly Movement[];
}

const NOBODY = "decode('0000000000000000000000000000000000000000', 'hex')";

/** SELECT text of (account, amount > 0) at the end of `block`, without the zero address. */
function heldAt({ fold, assetId, watermark }: HoldingRange, block: number): string {
  if (block <= watermark) return holdersAt({ fold, assetId, block, watermark }, NO_OVERLAY).text;
  return `
    select account, amount from (
      select coalesce(c.account, o.account) as account, coalesce(c.amount, 0) + coalesce(o.delta, 0) as amount
        from (${everyAmount({ fold, assetId, block: watermark })}) c
        full join (select account, sum(delta) as delta from moves where block <= ${block} group by account) o
          on o.account = c.account) h
     where amount > 0 and account <> ${NOBODY}`;
}

/** Accounts with another amount at `to` than at `from`: (account, rank = what they gained, before, after). */
export const changedAmounts = (range: HoldingRange): Statement => ({
  text: `
    with ${movementsCte}, earlier as (${heldAt(range, range.from)}), later as (${heldAt(range, range.to)})
    select account, after - before as rank, before, after from (
      select coalesce(e.account, l.account) as account, coalesce(e.amount, 0) as before, coalesce(l.amount, 0) as after
        from earlier e full join later l on l.account = e.account) both_ends
     where before <> after`,
  parameters: movementParameters(range.movements),
});

/** CTE `steps`: what each account has more than at the watermark, from `block` up to before `next`. */
const steps = `
  steps as (
    select account, block, lead(block) over by_block as next, sum(delta) over by_block as gained
      from moves window by_block as (partition by account order by block))`;

/** The blocks of the range as far as they are folded. */
const foldedPart = ({ from, to, watermark }: HoldingRange) => ({
  first: String(Math.min(from, watermark)),
  last: String(Math.min(to, watermark)),
});

/**
 * SELECT text of (account, since, until, amount): `stretches`, which end with the first move above the watermark if not
 * before, and what follows them; `among` narrows the accounts.
 */
const heldIn = ({ fold, assetId, to, watermark }: HoldingRange, stretches: string, among = ""): string => `
  select h.account, h.since, coalesce(h.until, m.block, ${to + 1}) as until, h.amount
    from (${stretches}) h
    left join (select account, min(block) as block from moves group by account) m on m.account = h.account
  union all
  select s.account, s.block, coalesce(s.next, ${to + 1}), coalesce(c.amount, 0) + s.gained
    from steps s
    left join lateral (${rowOfKey(holdings, {
      ...{ fold, block: String(watermark), select: (row) => `${row}.amount` },
      key: { asset: String(assetId ?? -1), account: "s.account" },
    })}) c on true
   ${among && `where s.account in (${among})`}`;

const weightOf = ({ from, to }: HoldingRange): string =>
  `sum(amount * (least(until, ${to + 1}) - greatest(since, ${from})))`;

/** Everybody who held some at one of the blocks: (account, rank = the sum of the amounts at the end of every block). */
export function summedAmounts(range: HoldingRange): Statement {
  const stretches = stretchesOfGroup(holdings, {
    ...{ fold: range.fold, of: { asset: String(range.assetId ?? -1) }, ...foldedPart(range) },
    select: (row) => `${row}.account, ${row}.amount`,
  });
  return {
    text: `
      with ${movementsCte}, ${steps}, held as (${heldIn(range, stretches)})
      select account, ${weightOf(range)} as rank from held
       where until > ${range.from} and amount > 0 and account <> ${NOBODY} group by account`,
    parameters: movementParameters(range.movements),
  };
}

/** The same for asked accounts, zeros included: (place, account, rank). The zero address is nobody's and has 0. */
export function summedAmountsOf(range: HoldingRange, accounts: readonly Address[]): Statement {
  const { first, last } = foldedPart(range);
  const stretches = stretchesOfKey(holdings, {
    ...{ fold: range.fold, ranges: `(values (${first}, ${last})) w(first, last)`, upTo: last },
    ...{ key: { asset: String(range.assetId ?? -1), account: "a.account" }, select: (row) => `${row}.amount` },
  });
  const ofAsked = `select a.account, l.since, l.until, l.amount from asked a cross join lateral (${stretches}) l`;
  return {
    text: `
      with ${movementsCte}, ${steps}, asked as materialized (
        select place, decode(substr(account, 3), 'hex') as account
          from unnest(string_to_array($4, ',')) with ordinality as u(account, place)),
      held as (${heldIn(range, ofAsked, "select account from asked")})
      select a.place, a.account, case when a.account = ${NOBODY} then 0 else coalesce(${weightOf(range)}, 0) end as rank
        from asked a left join held h on h.account = a.account and h.until > ${range.from}
       group by a.place, a.account`,
    parameters: [...movementParameters(range.movements), accounts.join(",")],
  };
}
