// What v3 pools went through during a price window, for all of them at once.
//
// The depth behind a price is what the liquidity in range would hold if it covered all prices, but no more than the pool has:
// the first alone is large for a little liquidity in one narrow range, the second for liquidity that is out of range.
import { holdings, v3Pools } from "../../core/history/histories.ts";
import { Q96 } from "../../core/math/fixed-point.ts";
import { question } from "../cache/question.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import { everyPool } from "../concentrated/pools-at.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import { cachedHistory, distinctOver, type HistoryTexts, RANGES } from "../history/history-ranges.ts";
import type { BlockPoint } from "../history/point.ts";
import { recentVersions } from "../history/recent-versions.ts";
import { stretchesOfAll, stretchesOfKey } from "../history/stretches.ts";
import type { PriceWindow, WindowedPool } from "./window.ts";

const Q192 = Q96 * Q96;

interface Slot {
  sqrtPriceX96: bigint;
  liquidity: bigint;
}

/** By pool address. */
type Histories<T> = ReadonlyMap<string, Step<T>[]>;

interface V3Moments {
  pools: readonly WindowedPool[];
  /** From which block on a pool's state is unknown, by pool; only pools whose state was still known at the earliest block asked. */
  stops: ReadonlyMap<string, number>;
}

/** Pools that had stopped by the earliest block asked are left out. */
export async function v3Moments(
  context: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
  window: PriceWindow,
): Promise<V3Moments> {
  if (!context.chain.v3) return { pools: [], stops: new Map() };
  const at = asOf(context.snapshot, point);
  const all = await everyPool(at);
  const pools = all.filter(({ stopped }) => !stopped || stopped.block > window.earliest);
  const [slots, held] = await Promise.all([readSlotHistories(at, pools, window), readReserveHistories(at, window)]);
  return {
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
): WindowedPool["moments"] {
  const blocks = blocksOf([slots, held0, held1], window.first);
  const [slotsAt, held0At, held1At] = [valuesAt(slots, blocks), valuesAt(held0, blocks), valuesAt(held1, blocks)];
  return blocks.map((block, i) => {
    const since = window.timeOf(block);
    const slot = slotsAt[i];
    if (!slot) return { block, since, price: undefined, depth0: 0n, depth1: 0n };
    const { sqrtPriceX96, liquidity } = slot;
    return {
      block,
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

const slotHistories = question<readonly SlotRow[]>("v3-slot-histories");

async function readSlotHistories(
  at: AsOf,
  pools: readonly V3Pool[],
  { ranges }: PriceWindow,
): Promise<Histories<Slot>> {
  const addresses = new Map(pools.map(({ id, address }) => [id, address]));
  const histories = new Map<string, Step<Slot>[]>();
  const rows = await cachedHistory(slotHistories, { at, ranges }, slotTexts(at));
  for (const { id, block, sqrt_price_x96, liquidity } of rows) {
    const pool = addresses.get(id);
    if (pool === undefined) continue;
    const steps = histories.get(pool) ?? [];
    histories.set(pool, steps);
    steps.push({ block, value: { sqrtPriceX96: BigInt(sqrt_price_x96), liquidity: BigInt(liquidity) } });
  }
  return histories;
}

/** Of every pool. */
function slotTexts({ fold }: AsOf): HistoryTexts {
  const shown = "t.pool as id, t.sqrt_price_x96::text as sqrt_price_x96, t.liquidity::text as liquidity";
  const select = (row: string) => `${row}.pool, ${row}.sqrt_price_x96, ${row}.liquidity`;
  return {
    over: (ranges) => `
      select ${distinctOver(ranges)} t.since as block, ${shown}
        from (${stretchesOfAll(v3Pools, { fold, ranges: RANGES, upTo: "$3::int4", select })}) t
       order by id, block`,
    recent: `
      select t.block, ${shown}
        from (${recentVersions(v3Pools, { fold, select: (row) => `${row}.block, ${select(row)}` })}) t`,
  };
}

interface ReserveRow {
  name: string;
  block: number;
  until: number | null;
  amount: string;
}

const reserveHistories = question<readonly ReserveRow[]>("v3-reserve-histories");

/** By `<token> <pool>`: what the pools' events say they held. */
async function readReserveHistories(at: AsOf, { ranges }: PriceWindow): Promise<Histories<bigint>> {
  const histories = new Map<string, Step<bigint>[]>();
  for (const { name, block, until, amount } of await cachedHistory(
    reserveHistories,
    { at, ranges },
    reserveTexts(at),
  )) {
    const steps = histories.get(name) ?? [];
    histories.set(name, steps);
    if (steps.at(-1)?.block === block) steps.pop();
    steps.push({ block, value: BigInt(amount) });
    // a gap means zero, and the next row shows where there is none
    if (until !== null) steps.push({ block: until, value: 0n });
  }
  return histories;
}

/** Of both tokens of every pool. */
const reserveTexts = ({ fold }: AsOf): HistoryTexts => ({
  over: (ranges) => `
    select ${distinctOver(ranges)} '0x' || encode(a.key, 'hex') || ' 0x' || encode(p.address, 'hex') as name,
           h.since as block, h.until, h.amount::text as amount
      from ${fold}.v3_pool p
     cross join lateral (values (p.token0), (p.token1)) s(token)
      join ${fold}.asset a on a.kind = 'v3-reserve' and a.key = s.token
     cross join lateral (${stretchesOfKey(holdings, {
       fold,
       ranges: RANGES,
       upTo: "$3::int4",
       key: { asset: "a.id", account: "p.address" },
       select: (row) => `${row}.amount`,
     })}) h
     where p.created_block <= $3::int4
     order by 1, block`,
  recent: `
    select '0x' || encode(a.key, 'hex') || ' 0x' || encode(t.account, 'hex') as name, t.block, null::int4 as until,
           t.amount::text as amount
      from (${recentVersions(holdings, {
        fold,
        select: (row) => `${row}.asset, ${row}.account, ${row}.block, ${row}.amount`,
      })}) t
      join ${fold}.asset a on a.id = t.asset and a.kind = 'v3-reserve'`,
});

/** Amounts that change from block to block, as steps: what held since when. */
interface Step<T> {
  /** Held from the end of this block on. */
  block: number;
  value: T;
}

/** The value at each of `blocks`, both in order; undefined before the first step. */
function valuesAt<T>(steps: readonly Step<T>[], blocks: readonly number[]): (T | undefined)[] {
  let next = 0;
  let value: T | undefined;
  return blocks.map((block) => {
    for (let step = steps[next]; step && step.block <= block; step = steps[++next]) value = step.value;
    return value;
  });
}

/** Every block at which one of `histories` has a step, ascending; those before `first` count as `first`. */
function blocksOf(histories: readonly (readonly Step<unknown>[])[], first: number): number[] {
  const blocks = new Set(histories.flatMap((steps) => steps.map(({ block }) => Math.max(block, first))));
  return [...blocks].sort((a, b) => a - b);
}
