// What v3 pools were over a range of blocks, from the index: prices, ticks, positions and token ids.
import type { Span, Step, Steps } from "../../core/averages/steps.ts";
import type { LiquiditySpan, TickSpan } from "../../core/averages/v3/pool-history.ts";
import type { TickRangeSpan } from "../../core/averages/v3/weigh-inside.ts";
import type { BlockSpan } from "../../core/block-span.ts";
import type { PoolPoint } from "../../core/concentrated/position-amounts.ts";
import type { AsOf } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";
import type { Address } from "../parameters.ts";
import { directPositionText, everyText, kinds, ownedText, slotsText, ticksText, tokenIdText } from "./v3-texts.ts";

/** Cut to the range. */
export interface SlotSpan extends Span {
  slot: PoolPoint;
  protocolFees: readonly [bigint, bigint];
}

/** A direct position or a token id while nothing of it changes. */
export interface OwnedSpan extends LiquiditySpan {
  owner: Address;
  /** Undefined for a direct position. */
  tokenId: bigint | undefined;
}

/** Price and liquidity in range at the end of a block. */
export interface PricedLiquidity {
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
}

/** A position while it had the same liquidity. */
export interface HeldLiquidity extends TickRangeSpan {
  /** The pool's number in the fold's tables. */
  pool: number;
  liquidity: bigint;
}

const joined = (items: readonly (string | number)[]): string => items.join(",");

export class V3Rows {
  readonly #at: AsOf;
  readonly #range: BlockSpan;

  /** `at` is the last block's. */
  constructor(at: AsOf, range: BlockSpan) {
    this.#at = at;
    this.#range = range;
  }

  /** Ascending, by the pool's number. There may be very many: no objects are made of them on the way. */
  async slots(pools: readonly number[]): Promise<Map<number, SlotSpan[]>> {
    const { columns } = kinds.slot;
    const many = await this.#readText(slotsText(this.#at.fold, "slot"), [joined(pools)], columns);
    const { from: first, to } = this.#range;
    const slots = new Map<number, SlotSpan[]>();
    const bigint = (i: number): bigint => BigInt(many[i] as string);
    for (let i = 0; i < many.length; i += columns.length + 3) {
      const [pool, from] = [Number(many[i]), Math.max(Number(many[i + 1]), first)];
      const until = Math.min(Number(many[i + 2]), to + 1);
      if (from >= until) continue;
      const slot = {
        sqrtPriceX96: bigint(i + 3),
        tick: Number(many[i + 4]),
        feeGrowthGlobal0X128: bigint(i + 5),
        feeGrowthGlobal1X128: bigint(i + 6),
      };
      const span = { from, until, slot, protocolFees: [bigint(i + 7), bigint(i + 8)] as const };
      const spans = slots.get(pool);
      if (spans) spans.push(span);
      else slots.set(pool, [span]);
    }
    for (const spans of slots.values()) spans.sort(inOrder);
    return slots;
  }

  async everyTick(pools: readonly number[]): Promise<Map<number, TickSpan[]>> {
    return grouped(await this.#read(everyText(this.#at.fold, "tick"), [joined(pools)], kinds.tick.columns), toTick);
  }

  async ticks(wanted: readonly { pool: number; tick: number }[]): Promise<Map<number, TickSpan[]>> {
    const ticks = [joined(wanted.map(({ pool }) => pool)), joined(wanted.map(({ tick }) => tick))];
    return grouped(await this.#read(ticksText(this.#at.fold), ticks, kinds.tick.columns), toTick);
  }

  /** Of everybody, or of `owners`; those that are worth anything. */
  async positions(pools: readonly number[], owners?: readonly Address[]): Promise<Map<number, OwnedSpan[]>> {
    const all = new Map<number, OwnedSpan[]>();
    for (const kind of ["nft", "position"] as const) {
      const { fold } = this.#at;
      const text = owners ? ownedText(fold, kind) : everyText(fold, kind);
      const first = [joined(pools), ...(owners ? [joined(owners)] : [])];
      const found = await this.#read(text, first, kinds[kind].columns);
      for (const [pool, spans] of grouped(found, kind === "nft" ? toNft : toPosition))
        all.set(pool, [...(all.get(pool) ?? []), ...spans]);
    }
    return all;
  }

  /** Of one pool: at the first block and at each at which something of it changed; undefined before `Initialize`. */
  async priceSteps(pool: number): Promise<Steps<PricedLiquidity | undefined>> {
    const rows = await this.#read(slotsText(this.#at.fold, "price"), [String(pool)], kinds.price.columns);
    const steps: Step<PricedLiquidity | undefined>[] = [];
    for (const { from, values } of rows.sort(inOrder)) {
      const [sqrtPriceX96 = "", tick, liquidity = ""] = values;
      const value = { sqrtPriceX96: BigInt(sqrtPriceX96), tick: Number(tick), liquidity: BigInt(liquidity) };
      const isPriced = value.sqrtPriceX96 > 0n;
      if (isPriced && !isSame(steps.at(-1)?.value, value)) steps.push({ from, value });
    }
    const { from: first } = this.#range;
    return steps[0]?.from === first ? steps : [{ from: first, value: undefined }, ...steps];
  }

  /** Of a manager's token id, ascending; none where it does not exist within the range. */
  async tokenId(manager: Address, tokenId: bigint): Promise<HeldLiquidity[]> {
    const text = tokenIdText(this.#at.fold);
    return (await this.#read(text, [manager, String(tokenId)], kinds.nftLiquidity.columns)).sort(inOrder).map(toHeld);
  }

  /** The same of what `owner` holds in a pool itself. */
  async directPosition(
    pool: number,
    { owner, tickLower, tickUpper }: { owner: Address; tickLower: number; tickUpper: number },
  ): Promise<HeldLiquidity[]> {
    const text = directPositionText(this.#at.fold);
    const around = [String(pool), owner, String(tickLower), String(tickUpper)];
    return (await this.#read(text, around, kinds.directLiquidity.columns)).sort(inOrder).map(toHeld);
  }

  /** Rows that hold at no block of the range are left out. */
  async #read(text: string, around: readonly string[], columns: readonly string[]): Promise<Row[]> {
    const { from: first, to } = this.#range;
    const many = await this.#readText(text, around, columns);
    const rows: Row[] = [];
    const width = columns.length + 3;
    for (let i = 0; i < many.length; i += width) {
      const from = Math.max(Number(many[i + 1]), first);
      const until = Math.min(Number(many[i + 2]), to + 1);
      if (from < until) rows.push({ pool: Number(many[i]), from, until, values: many.slice(i + 3, i + width) });
    }
    return rows;
  }

  /** The first parameter, and what comes behind the blocks: (pool, since, until, …) row after row. */
  #readText(text: string, [pools = "", ...more]: readonly string[], columns: readonly string[]): Promise<string[]> {
    const parameters = [pools, String(this.#range.from), String(this.#range.to), ...more];
    return readMany(this.#at.unbatched, { text, parameters }, ["pool", "since", "until", ...columns]);
  }
}

/** Cut to the range. */
interface Row extends Span {
  pool: number;
  /** Of the text's own columns. */
  values: readonly string[];
}

function grouped<T>(rows: readonly Row[], toOne: (row: Row) => T): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(row.pool);
    if (group) group.push(toOne(row));
    else groups.set(row.pool, [toOne(row)]);
  }
  return groups;
}

const inOrder = (a: Span, b: Span): number => a.from - b.from;

/** Rows change with fees, too. */
const isSame = (last: PricedLiquidity | undefined, now: PricedLiquidity): boolean =>
  last?.sqrtPriceX96 === now.sqrtPriceX96 && last.tick === now.tick && last.liquidity === now.liquidity;

const toHeld = ({ pool, from, until, values: [lower, upper, liquidity = ""] }: Row): HeldLiquidity => ({
  ...{ pool, from, until, tickLower: Number(lower), tickUpper: Number(upper), liquidity: BigInt(liquidity) },
});

const toTick = ({ from, until, values: [tick, outside0, outside1] }: Row): TickSpan => ({
  ...{ tick: Number(tick), from, until },
  feeGrowthOutside0X128: BigInt(outside0 as string),
  feeGrowthOutside1X128: BigInt(outside1 as string),
});

const toPosition = ({ from, until, values }: Row): OwnedSpan => {
  const [owner, lower, upper, liquidity, last0, last1, owed0, owed1] = values as string[];
  return {
    ...{ from, until, tokenId: undefined, owner: owner as Address },
    ...{ tickLower: Number(lower), tickUpper: Number(upper), liquidity: BigInt(liquidity ?? 0) },
    feeGrowthInside0LastX128: BigInt(last0 ?? 0),
    feeGrowthInside1LastX128: BigInt(last1 ?? 0),
    tokensOwed0: BigInt(owed0 ?? 0),
    tokensOwed1: BigInt(owed1 ?? 0),
  };
};

const toNft = ({ values: [tokenId, ...claim], ...row }: Row): OwnedSpan => ({
  ...toPosition({ ...row, values: claim }),
  tokenId: BigInt(tokenId as string),
});
