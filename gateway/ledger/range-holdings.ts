// SQL text of questions about all blocks from one to another, over the fold's intervals and what happened above them.
// An interval counts in as many blocks as it covers: nothing is sampled, and no block is read by itself.
import type { Address } from "../parameters.ts";
import { type HoldingsPoint, holdersAt, type Statement } from "./holdings-at.ts";
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
        from (select account, amount from ${fold}.holding_current where asset = ${assetId ?? -1}) c
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

/** SELECT text of (account, since, until, amount) of the rows above what intervals say; `among` narrows the accounts. */
const heldSince = ({ fold, assetId, to }: HoldingRange, among = ""): string => `
  select c.account, c.since, coalesce(m.block, ${to + 1}) as until, c.amount
    from ${fold}.holding_current c
    left join (select account, min(block) as block from moves group by account) m on m.account = c.account
   where c.asset = ${assetId ?? -1} and c.since <= ${to} ${among && `and c.account in (${among})`}
  union all
  select s.account, s.block, coalesce(s.next, ${to + 1}), coalesce(c.amount, 0) + s.gained
    from steps s left join ${fold}.holding_current c on c.asset = ${assetId ?? -1} and c.account = s.account
   ${among && `where s.account in (${among})`}`;

const weightOf = ({ from, to }: HoldingRange): string =>
  `sum(amount * (least(until, ${to + 1}) - greatest(since, ${from})))`;

/** Everybody who held some at one of the blocks: (account, rank = the sum of the amounts at the end of every block). */
export function summedAmounts(range: HoldingRange): Statement {
  const { fold, assetId, from, to } = range;
  return {
    text: `
      with ${movementsCte}, ${steps}, held as (
        select l.account, l.since, l.until, l.amount from generate_series(0, 29) k cross join lateral (
          select account, from_block as since, to_block as until, amount from ${fold}.holding_interval
           where asset = ${assetId ?? -1} and lvl = k::int2
             and from_block <= ${to} and from_block > ${from} - (2 << k) and to_block > ${from}
          offset 0) l
        union all ${heldSince(range)})
      select account, ${weightOf(range)} as rank from held
       where until > ${from} and amount > 0 and account <> ${NOBODY} group by account`,
    parameters: movementParameters(range.movements),
  };
}

/** The same for asked accounts, zeros included: (place, account, rank). The zero address is nobody's and has 0. */
export function summedAmountsOf(range: HoldingRange, accounts: readonly Address[]): Statement {
  const { fold, assetId, from, to } = range;
  const ended = `
    select from_block as since, to_block as until, amount from ${fold}.holding_interval
     where asset = ${assetId ?? -1} and account = a.account`;
  return {
    text: `
      with ${movementsCte}, ${steps}, asked as materialized (
        select place, decode(substr(account, 3), 'hex') as account
          from unnest(string_to_array($4, ',')) with ordinality as u(account, place)),
      held as (
        select a.account, l.since, l.until, l.amount from asked a cross join lateral (
          (${ended} and to_block > ${from} and to_block <= ${to})
          union all
          (select * from (${ended} and to_block > ${to} order by to_block limit 1) covering where since <= ${to})) l
        union all ${heldSince(range, "select account from asked")})
      select a.place, a.account, case when a.account = ${NOBODY} then 0 else coalesce(${weightOf(range)}, 0) end as rank
        from asked a left join held h on h.account = a.account and h.until > ${from}
       group by a.place, a.account`,
    parameters: [...movementParameters(range.movements), accounts.join(",")],
  };
}
