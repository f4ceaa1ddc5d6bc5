// v2 pairs as routes need them: their reserves and what they hold beyond them, and which tokens do not arrive whole. Events are enough for the latter: a
// pair sends `amountOut` and logs it in Swap; a token that passes on less logs a Transfer of less.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { V2Pool } from "../../core/router/pool.ts";
import type { OperationContext } from "../context.ts";
import type { AsOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { RawFacts } from "../history/raw-facts.ts";
import type { Address } from "../parameters.ts";
import { allPairs, changedPairs, type PairReserves, reservesAt, withReserves } from "../protocols/v2/pairs-at.ts";
import { unsyncedOf } from "../protocols/v2/unsynced-at.ts";

/** Facts in (after, upTo]. */
export interface FactRange {
  after: number;
  upTo: number;
}

/** Where a log is, as one number that grows with the chain. */
const place = "(block::int8 << 20 | log_index)";
const isAt = (row: string, spot: string) =>
  `${row}.block = (${spot} >> 20)::int4 and ${row}.log_index = (${spot} & 1048575)::int4`;
const inRange = ({ after, upTo }: FactRange) => `block > ${after} and block <= ${upTo}`;

/** Every pair that has reserves at the block. */
export async function everyPair(context: OperationContext, point: BlockPoint): Promise<V2Pool[]> {
  const [pairs, reserves] = await Promise.all([allPairs(context, point), reservesAt(context, point)]);
  return toPools(context, point, withReserves(pairs, reserves));
}

/** Pairs that blocks after `after` have changed; undefined when these are not told apart. */
export async function movedPairs(context: OperationContext, at: AsOf, after: number): Promise<V2Pool[] | undefined> {
  if (!context.chain.v2) return [];
  const changed = await changedPairs(at, after);
  return changed && toPools(context, at.point, changed);
}

async function toPools(
  context: OperationContext,
  point: BlockPoint,
  pairs: readonly PairReserves[],
): Promise<V2Pool[]> {
  const fee = context.chain.v2?.swapFee ?? 0;
  const unsynced = await unsyncedOf(context, point, pairs);
  return pairs.map(({ address, token0, token1, reserve0, reserve1 }, i) => ({
    ...{ kind: "v2", address, token0, token1, fee, reserve0, reserve1 },
    ...unsynced[i],
  }));
}

/** Whether the last swap of a pair that paid `token` paid it whole. */
export interface Payout {
  pair: Address;
  token: Address;
  isWhole: boolean;
}

/** Of pairs and tokens whose Transfers are recorded and that were paid out in the range. */
export async function lastPayouts(
  { rows, view }: Pick<RawFacts, "rows" | "view">,
  { tokens, v2 }: Pick<ChainFile, "tokens" | "v2">,
  range: FactRange,
): Promise<Payout[]> {
  if (!v2) return [];
  const listed = tokens === "all" ? [] : tokens.map(({ address }) => `'${address}'`);
  const isRecorded = tokens === "all" ? "true" : `o.token in (${listed.join(", ")})`;
  return rows<Payout>(`
    with newest as (
      select pair, side, max(${place}) as spot
        from ${view("v2_swap")}, (values (0), (1)) sides(side)
       where ${inRange(range)} and (case side when 0 then amount0_out else amount1_out end) > 0
       group by pair, side)
    select newest.pair, o.token, exists (
             select from ${view("erc20_transfer")} t
              where t.block = s.block and t.tx_index = s.tx_index and t.log_index < s.log_index and t.token = o.token
                and t."from" = s.pair and t."to" = s."to" and t.amount = o.amount) as "isWhole"
      from newest join ${view("v2_swap")} s on ${isAt("s", "newest.spot")}
      join ${view("v2_pair_created")} c on c.pair = newest.pair and c.factory = '${v2.factory.address}',
           lateral (select case side when 0 then c.token0 else c.token1 end as token,
                           case side when 0 then s.amount0_out else s.amount1_out end as amount) o
     where ${isRecorded}`);
}
