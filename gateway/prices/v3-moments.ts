// What v3 pools went through during a price window, for all of them at once.
//
// Behind a price stands what the liquidity in range would hold if it reached everywhere, but no more than the pool has:
// the first alone is large for a little liquidity in one narrow range, the second for liquidity that is out of range.
import { holdings, v3Pools } from "../../core/history/histories.ts";
import type { PoolMoment, PricingPool } from "../../core/prices/mean-price.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { stretchesOfAll, stretchesOfKey } from "../history/stretches.ts";
import { type AsOf, asOf } from "../ledger/as-of.ts";
import { cachedHistory, distinctOver, type HistoryRange, RANGES, rangeParameters } from "../ledger/history-ranges.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { readV3Overlay } from "../v3/overlay.ts";
import type { V3Pool } from "../v3/pool.ts";
import { everyPool } from "../v3/pools-at.ts";
import { blocksOf, type Step, valuesAt } from "./step-history.ts";
import type { PriceWindow } from "./window.ts";

const Q96 = 1n << 96n;
const Q192 = 1n << 192n;

interface Slot {
  sqrtPriceX96: bigint;
  liquidity: bigint;
}

/** By pool address. */
type Histories<T> = ReadonlyMap<string, Step<T>[]>;

export interface V3Moments {
  pools: readonly PricingPool[];
  /** From which block on a pool cannot be told any more, by pool; only such as could be told when the window was asked. */
  stops: ReadonlyMap<string, number>;
  /** Some pool cannot be told yet, and is left out. */
  isPending: boolean;
}

/** Pools that had stopped by the earliest block asked are left out. */
export async function v3Moments(
  context: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
  window: PriceWindow,
): Promise<V3Moments> {
  if (!context.chain.v3) return { pools: [], stops: new Map(), isPending: false };
  const at = asOf(context.snapshot, point);
  const overlay = await readV3Overlay(context, point);
  const all = await everyPool({ at, overlay });
  const isTold = ({ stopped, isPending }: V3Pool) => !isPending && (!stopped || stopped.block > window.asked);
  const pools = all.filter(isTold);
  const slots = await readSlotHistories(context, { at, pools, window });
  const held = await readReserveHistories(context, { at, window });
  return {
    isPending: all.some(({ isPending }) => isPending),
    stops: new Map(pools.flatMap(({ address, stopped }) => (stopped ? [[address, stopped.block] as const] : []))),
    pools: pools.flatMap((pool) => {
      const { address, token0, token1 } = pool;
      const own = slots.get(address);
      if (!own) return [];
      const sides = [held.get(`${token0} ${address}`) ?? [], held.get(`${token1} ${address}`) ?? []] as const;
      return [{ address, token0, token1, moments: momentsOf(own, sides, window) }];
    }),
  };
}

function momentsOf(
  slots: readonly Step<Slot>[],
  [held0, held1]: readonly [readonly Step<bigint>[], readonly Step<bigint>[]],
  window: PriceWindow,
): PoolMoment[] {
  const blocks = blocksOf([slots, held0, held1], window.first);
  const [slotsAt, held0At, held1At] = [valuesAt(slots, blocks), valuesAt(held0, blocks), valuesAt(held1, blocks)];
  return blocks.map((block, i) => {
    const since = window.timeOf(block);
    const slot = slotsAt[i];
    if (!slot) return { since, price: undefined, depth0: 0n, depth1: 0n };
    const { sqrtPriceX96, liquidity } = slot;
    return {
      since,
      price: { numerator: sqrtPriceX96 * sqrtPriceX96, denominator: Q192 },
      depth0: smaller((liquidity * Q96) / sqrtPriceX96, held0At[i] ?? 0n),
      depth1: smaller((liquidity * sqrtPriceX96) / Q96, held1At[i] ?? 0n),
    };
  });
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

interface SlotRow {
  id: number;
  block: number;
  sqrt_price_x96: string;
  liquidity: string;
}

interface Asked {
  at: AsOf;
  pools: readonly V3Pool[];
  window: PriceWindow;
}

const slotHistories = question<readonly SlotRow[]>("v3-slot-histories");

async function readSlotHistories(
  { snapshot }: Pick<OperationContext, "snapshot">,
  { at, pools, window: { ranges } }: Asked,
): Promise<Histories<Slot>> {
  const rows = await cachedHistory(slotHistories, { snapshot, point: at.point, ranges }, (read) =>
    at.prepared<SlotRow>(slotHistoriesText(at, read), rangeParameters(read)),
  );
  const addresses = new Map(pools.flatMap(({ id, address }) => (id === undefined ? [] : [[id, address] as const])));
  const histories = new Map<string, Step<Slot>[]>();
  for (const { id, block, sqrt_price_x96, liquidity } of rows) {
    const pool = addresses.get(id);
    if (pool === undefined) continue;
    const steps = histories.get(pool) ?? [];
    histories.set(pool, steps);
    steps.push({ block, value: { sqrtPriceX96: BigInt(sqrt_price_x96), liquidity: BigInt(liquidity) } });
  }
  return histories;
}

/** With {@link rangeParameters}: of every pool the slot that held at `first`, and every later one up to `last`, for each range; by pool in order. */
const slotHistoriesText = ({ fold }: AsOf, ranges: readonly HistoryRange[]): string => `
    select ${distinctOver(ranges)} t.pool as id, t.since as block, t.sqrt_price_x96::text as sqrt_price_x96,
           t.liquidity::text as liquidity
      from (${stretchesOfAll(v3Pools, {
        ...{ fold, ranges: RANGES, upTo: "$3::int4" },
        select: (row) => `${row}.pool, ${row}.sqrt_price_x96, ${row}.liquidity`,
      })}) t
     order by id, block`;

interface ReserveRow {
  name: string;
  from_block: number;
  to_block: number | null;
  amount: string;
}

const reserveHistories = question<readonly ReserveRow[]>("v3-reserve-histories");

/** By `<token> <pool>`: what the pools' events say they held. */
async function readReserveHistories(
  { snapshot }: Pick<OperationContext, "snapshot">,
  { at, window: { ranges } }: Omit<Asked, "pools">,
): Promise<Histories<bigint>> {
  const rows = await cachedHistory(reserveHistories, { snapshot, point: at.point, ranges }, (read) =>
    at.prepared<ReserveRow>(reserveHistoriesText(at, read), rangeParameters(read)),
  );
  const histories = new Map<string, Step<bigint>[]>();
  const stepsOf = (name: string) => {
    const steps = histories.get(name) ?? [];
    histories.set(name, steps);
    return steps;
  };
  for (const { name, from_block, to_block, amount } of rows) {
    const steps = stepsOf(name);
    if (steps.at(-1)?.block === from_block) steps.pop();
    steps.push({ block: from_block, value: BigInt(amount) });
    // a gap means zero, and the next row tells when there is none
    if (to_block !== null) steps.push({ block: to_block, value: 0n });
  }
  return histories;
}

/** With {@link rangeParameters}: both tokens of every pool, rows that held at `first` or later, up to `last`, for each range; by name in order. */
const reserveHistoriesText = ({ fold }: AsOf, ranges: readonly HistoryRange[]): string => `
    select ${distinctOver(ranges)} '0x' || encode(a.key, 'hex') || ' 0x' || encode(p.address, 'hex') as name,
           h.since as from_block, h.until as to_block, h.amount::text as amount
      from ${fold}.v3_pool p
     cross join lateral (values (p.token0), (p.token1)) s(token)
      join ${fold}.asset a on a.kind = 'v3-reserve' and a.key = s.token
     cross join lateral (${stretchesOfKey(holdings, {
       ...{ fold, ranges: RANGES, upTo: "$3::int4", key: { asset: "a.id", account: "p.address" } },
       select: (row) => `${row}.amount`,
     })}) h
     where p.created_block <= $3::int4
     order by 1, from_block`;
