// The blocks in which a pool wrote observations of its oracle, by its own events.

import { type Steps, valueAt } from "../../core/averages/steps.ts";
import { type Observation, type OracleFact, observedBlocks } from "../../core/averages/v3/seconds-per-liquidity.ts";
import type { BlockSpan } from "../../core/block-span.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { AsOf } from "../history/as-of.ts";
import { type RawFacts, readBounded, readFacts } from "../history/raw-facts.ts";
import { type PricedLiquidity, V3Rows } from "./v3-rows.ts";

interface ObservedPool {
  snapshot: Snapshot;
  at: AsOf;
  pool: V3Pool;
}

/**
 * From the last observation at or before the range's first block on, ascending; `steps` are the pool's over the range.
 * @throws TooManyFactsError
 */
export async function observationsOver(
  over: ObservedPool,
  range: BlockSpan,
  steps: Steps<PricedLiquidity | undefined>,
): Promise<Observation[]> {
  const before = await lastObserved(over, range.from);
  const blocks = before === undefined ? [] : [before];
  for (const part of partsOf({ from: range.from + 1, to: range.to }, steps)) {
    blocks.push(...(await observedIn(over, part, valueAt(steps, part.from - 1)?.tick)));
  }
  return blocks.map((block) => ({ block, liquidity: liquidityAt(steps, Math.max(block, range.from)) }));
}

/** Facts of this many changes are read at once: Ponder waits for readers of facts. */
const CHANGES_TOGETHER = 10_000;

function partsOf(range: BlockSpan, steps: Steps<PricedLiquidity | undefined>): BlockSpan[] {
  const starts = [range.from];
  for (let i = CHANGES_TOGETHER; i < steps.length; i += CHANGES_TOGETHER) starts.push(steps[i]?.from ?? range.from);
  return starts.map((from, i) => ({ from, to: (starts[i + 1] ?? range.to + 1) - 1 }));
}

/** Since an observation the liquidity in range has not changed: that of the range's first block is the last one's before it. */
const liquidityAt = (steps: Steps<PricedLiquidity | undefined>, block: number): bigint =>
  valueAt(steps, block)?.liquidity ?? 0n;

/** For most pools the last observation lies a few blocks back: each attempt goes this many times as far back as the one before. */
const FURTHER = 16;

async function lastObserved(over: ObservedPool, block: number): Promise<number | undefined> {
  const { at, pool } = over;
  for (let blocks = 256, to = block; to >= pool.createdBlock; blocks *= FURTHER) {
    const from = Math.max(block - blocks, pool.createdBlock);
    const [before] = await new V3Rows(at, { from: from - 1, to: from - 1 }).priceSteps(pool.id);
    const found = await observedIn(over, { from, to }, before?.value?.tick);
    if (found.length > 0) return found.at(-1);
    to = from - 1;
  }
  return undefined;
}

interface FactRow {
  block: number;
  tick: number | null;
  tick_lower: number;
  tick_upper: number;
  liquidity: string;
}

/** `tick`: before the first of these blocks. */
async function observedIn(
  { snapshot, pool }: ObservedPool,
  range: BlockSpan,
  tick: number | undefined,
): Promise<number[]> {
  if (range.to < range.from) return [];
  const rows = await readFacts(snapshot, (facts) => readBounded<FactRow>(facts, factsText(facts, pool, range)));
  return observedBlocks(rows.map(toFact), tick);
}

const toFact = ({ block, tick, tick_lower, tick_upper, liquidity }: FactRow): OracleFact =>
  tick === null
    ? { kind: "liquidity", block, tickLower: tick_lower, tickUpper: tick_upper, amount: BigInt(liquidity) }
    : { kind: "price", block, tick };

function factsText({ view }: RawFacts, { address }: V3Pool, { from, to }: BlockSpan): string {
  const isMeant = `pool = '${address}' and block >= ${from} and block <= ${to}`;
  const price = "tick, 0 as tick_lower, 0 as tick_upper, '0' as liquidity";
  return `
    select block, tick, tick_lower, tick_upper, liquidity from (
      select block, log_index, ${price} from ${view("v3_initialize")} where ${isMeant}
      union all
      select block, log_index, ${price} from ${view("v3_swap")} where ${isMeant}
      union all
      select block, log_index, null, tick_lower, tick_upper, liquidity::text from ${view("v3_liquidity")}
       where ${isMeant} and kind in ('mint', 'burn')) f
     order by f.block, f.log_index`;
}
