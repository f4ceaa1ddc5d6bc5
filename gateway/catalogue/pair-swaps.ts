// What came into v2 pairs by swaps in a stretch of blocks, and whether the protocol takes its part of the fee on it. No
// event says whether it does; its shares are minted when liquidity is next put in or taken out, for all swaps since the
// time before. So swaps between two such events are known to be charged or free by the second one. Those after the last
// event are assumed to be like those before it. An event that mints nothing for the protocol shows nothing where no swap of
// the stretch came before it: there may have been nothing to charge.
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { literal } from "../../core/sql-literal.ts";
import type { PairSwaps } from "../../core/vaults/lp-fees.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type RawFacts, readFacts } from "../history/raw-facts.ts";

const ZERO = literal(ZERO_ADDRESS);

/** One number for block and log, ascending in the order of the chain. */
const placeOf = (relation: string): string => `(${relation}.block::int8 << 31 | ${relation}.log_index)`;

interface SwapsRow {
  pair: string;
  /** Events from here on that show whether swaps before them are charged. */
  events_from_here: number;
  /** As the first of these shows; null after the last one. */
  is_charged: boolean | null;
  in0: string;
  in1: string;
}

/** By pair, token0 and token1, with `after < block <= upTo`; pairs of which nothing is recorded are missing. */
export async function readPairSwaps(
  snapshot: Snapshot,
  { after, upTo }: BlocksAfter,
  isChargedAtFirst: boolean,
): Promise<Map<string, readonly [PairSwaps, PairSwaps]>> {
  const textOf = (facts: RawFacts) => `${movedText(facts)},
    ordered as (
      select pair, block, log_index, true as is_swap, null::bool as has_paid, amount0_in, amount1_in from ${facts.view("v2_swap")}
       where block > $1::int4 and block <= $2::int4
      union all
      select pair, block, log_index, false, has_paid, 0, 0 from moved),
    seen as (
      select *, case when has_paid or lead(is_swap) over w then has_paid end as is_charged
        from ordered window w as (partition by pair order by block desc, log_index desc)),
    stretches as (
      select pair, is_charged, amount0_in, amount1_in, count(is_charged) over w as events_from_here
        from seen window w as (partition by pair order by block desc, log_index desc))
    select pair, events_from_here::int4 as events_from_here, bool_or(is_charged) as is_charged,
           sum(amount0_in)::text as in0, sum(amount1_in)::text as in1
      from stretches group by pair, events_from_here`;
  const found = await readFacts(snapshot, (facts) =>
    facts.prepared<SwapsRow>(textOf(facts), [String(after), String(upTo)]),
  );
  const newest = new Map(
    found.flatMap((row) => (row.events_from_here === 1 ? [[row.pair, row.is_charged] as const] : [])),
  );
  const swaps = new Map<string, readonly [PairSwaps, PairSwaps]>();
  for (const { pair, is_charged, in0, in1 } of found) {
    const [before0, before1] = swaps.get(pair) ?? [NOTHING, NOTHING];
    const isCharged = is_charged ?? newest.get(pair) ?? isChargedAtFirst;
    swaps.set(pair, [added(before0, BigInt(in0), isCharged), added(before1, BigInt(in1), isCharged)]);
  }
  return swaps;
}

const NOTHING: PairSwaps = { charged: 0n, free: 0n };

const added = ({ charged, free }: PairSwaps, amount: bigint, isCharged: boolean): PairSwaps =>
  isCharged ? { charged: charged + amount, free } : { charged, free: free + amount };

/**
 * WITH relation for $1 `after` and $2 `upTo`: `moved`, the liquidity events of the stretch and the last one of each pair before it.
 * `has_paid`: shares were minted besides those of the depositor; null for a first mint, which comes after no swap.
 * UniswapV2Pair.sol `_mintFee`, `mint`, `burn`
 */
const movedText = ({ view }: RawFacts): string => `
  with before as (
    select pair, max(${placeOf("l")}) as place from ${view("v2_liquidity")} l where l.block <= $1::int4 group by pair),
  events as (
    select l.pair, l.block, l.log_index, l.tx_index, l.kind from ${view("v2_liquidity")} l
     where l.block > $1::int4 and l.block <= $2::int4
    union all
    select l.pair, l.block, l.log_index, l.tx_index, l.kind
      from before b join ${view("v2_liquidity")} l
        on l.block = (b.place >> 31)::int4 and l.log_index = (b.place & 2147483647)::int4),
  moved as (
    select e.pair, e.block, e.log_index,
           case when m.is_first then null else m.minted >= case e.kind when 'mint' then 2 else 1 end end as has_paid
      from events e cross join lateral (
        select count(*) filter (where t."to" <> ${ZERO}) as minted, coalesce(bool_or(t."to" = ${ZERO}), false) as is_first
          from ${view("erc20_transfer")} t
         where t.block = e.block and t.tx_index = e.tx_index and t.token = e.pair and t."from" = ${ZERO}
           and t.log_index < e.log_index and t.log_index > coalesce((
             select max(p.log_index) from ${view("v2_liquidity")} p
              where p.block = e.block and p.tx_index = e.tx_index and p.pair = e.pair and p.log_index < e.log_index), -1)
        ) m)`;
