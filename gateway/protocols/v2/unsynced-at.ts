// What v2 pairs hold beyond their reserves at a block: tokens that somebody sent there, which are in no reserve before the
// pair's next swap, mint, burn or sync, and which anybody may take by skim. The ledger gives it, and which pairs hold less.
//
// A pair sets its reserves to its balances and logs Sync (UniswapV2Pair.sol, `_update`). So there the ledger must equal the
// reserves: where it does not, the token's balances do not follow from its events, or are not indexed, and the amount is unknown.
import { holdings } from "../../../core/history/histories.ts";
import type { OperationContext } from "../../context.ts";
import { type AsOf, asOf } from "../../history/as-of.ts";
import type { BlockPoint } from "../../history/point.ts";
import { readFacts } from "../../history/raw-facts.ts";
import { rowOfKey } from "../../history/row-of-key.ts";
import type { Address } from "../../parameters.ts";
import type { PairReserves } from "./pairs-at.ts";

/** Raw units; undefined when unknown. */
export interface Unsynced {
  unsynced0: bigint | undefined;
  unsynced1: bigint | undefined;
  /** It holds less of a token than its reserve, as after the token's own contract took some: swaps pay less than the reserves say, or fail. */
  isShort: boolean;
}

/** One token of a pair. */
interface Side {
  pair: Address;
  token: Address;
  reserve: bigint;
  since: number;
}

/** In the order of `pairs`, whose reserves are those at the point. */
export async function unsyncedOf(
  { snapshot }: Pick<OperationContext, "snapshot">,
  point: BlockPoint,
  pairs: readonly PairReserves[],
): Promise<Unsynced[]> {
  const sides = pairs.flatMap(({ address: pair, token0, token1, reserve0, reserve1, since }): Side[] => [
    { pair, token: token0, reserve: reserve0, since },
    { pair, token: token1, reserve: reserve1, since },
  ]);
  const held = await heldOf(asOf(snapshot, point), sides);
  // within the block of its last Sync a pair may have got more after it
  const unsettled = sides.filter((side, i) => isUnsettled(side, held[i]));
  const got = new Map<Side, bigint>();
  if (unsettled.length > 0) {
    const amounts = await readFacts(snapshot, (facts) => gotAfterSync(facts, unsettled));
    unsettled.forEach((side, i) => {
      got.set(side, amounts[i] ?? 0n);
    });
  }
  const beyond = sides.map((side, i) => {
    const { now, settled } = held[i] ?? NOTHING;
    return now === side.reserve || settled - (got.get(side) ?? 0n) === side.reserve ? now - side.reserve : undefined;
  });
  return pairs.map((_, i) => {
    const [of0, of1] = [beyond[2 * i], beyond[2 * i + 1]];
    const isShort = [of0, of1].some((amount = 0n) => amount < 0n);
    return { unsynced0: atLeastNone(of0), unsynced1: atLeastNone(of1), isShort };
  });
}

const atLeastNone = (amount: bigint | undefined) => (amount !== undefined && amount < 0n ? undefined : amount);

/** Balances at the end of the point's block and of the block that set the reserves; the latter only where they matter. */
interface Held {
  now: bigint;
  settled: bigint;
}

const NOTHING: Held = { now: 0n, settled: 0n };

/** Of a token that is indexed. */
const isUnsettled = ({ reserve }: Side, held: Held | undefined): boolean =>
  held !== undefined && held.now !== reserve && held.settled !== reserve;

/** Undefined for tokens that are not indexed. */
async function heldOf({ fold, point, prepared }: AsOf, sides: readonly Side[]): Promise<(Held | undefined)[]> {
  const held = sides.map((): Held | undefined => undefined);
  if (sides.length === 0) return held;
  const rows = await prepared<{ place: number; now: string; settled: string | null }>(heldText(fold), [
    ...columnsOf(sides),
    sides.map(({ reserve }) => reserve).join(","),
    String(point.block),
  ]);
  for (const { place, now, settled } of rows) held[place - 1] = { now: BigInt(now), settled: BigInt(settled ?? 0) };
  return held;
}

/** $1 pairs, $2 tokens, $3 blocks that set the reserves. */
const columnsOf = (sides: readonly Side[]): string[] => [
  sides.map(({ pair }) => pair).join(","),
  sides.map(({ token }) => token).join(","),
  sides.map(({ since }) => since).join(","),
];

/** $4 reserves, $5 block: (place, now, settled), of tokens that are indexed. */
function heldText(fold: string): string {
  const amountAt = (block: string) =>
    rowOfKey(holdings, {
      fold,
      block,
      key: { asset: "a.id", account: "decode(substr(u.pair, 3), 'hex')" },
      select: (row) => `${row}.amount`,
    });
  // of no block otherwise: a pair may have logged its reserves long ago, in a block whose intervals are pruned
  const differs = "coalesce(held.amount, 0) <> u.reserve";
  return `
    select u.place::int4 as place, coalesce(held.amount, 0)::text as now, settled.amount::text as settled
      from unnest(string_to_array($1, ','), string_to_array($2, ','), string_to_array($3, ',')::int4[],
                  string_to_array($4, ',')::numeric[]) with ordinality as u(pair, token, since, reserve, place)
      join ${fold}.asset a on a.kind = 'erc20' and a.key = decode(substr(u.token, 3), 'hex')
      left join lateral (${amountAt("$5::int4")}) held on true
      left join lateral (${amountAt(`case when ${differs} then u.since end`)}) settled on true`;
}

/** What each pair got of its token, less what it sent, in the block that set its reserves after its last Sync there. */
async function gotAfterSync(
  { prepared, view }: Parameters<Parameters<typeof readFacts>[1]>[0],
  sides: readonly Side[],
): Promise<bigint[]> {
  const text = `
    select u.place::int4 as place, sum(case when t."to" = u.pair then t.amount else -t.amount end)::text as amount
      from unnest(string_to_array($1, ','), string_to_array($2, ','), string_to_array($3, ',')::int4[])
           with ordinality as u(pair, token, since, place)
     cross join lateral (select max(log_index) as log from ${view("v2_sync")} where block = u.since and pair = u.pair) s
      join ${view("erc20_transfer")} t on t.block = u.since and t.log_index > s.log and t.token = u.token
       and (t."to" = u.pair) <> (t."from" = u.pair)
     group by u.place`;
  const got = sides.map(() => 0n);
  const rows = await prepared<{ place: number; amount: string }>(text, columnsOf(sides));
  for (const { place, amount } of rows) got[place - 1] = BigInt(amount);
  return got;
}
