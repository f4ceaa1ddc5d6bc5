// What v3 pools were over a range of blocks, from the index: prices, ticks, positions and token ids.
import type { LiquiditySpan, PoolSlot, TickSpan } from "../../core/averages/v3/pool-history.ts";
import type { AsOf } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";
import type { Address } from "../parameters.ts";
import { everyText, kinds, ownedText, slotsText, ticksText } from "./v3-texts.ts";

/** What held from the end of `from` until before the end of `until`, cut to the range. */
export interface SlotSpan {
  from: number;
  until: number;
  slot: PoolSlot;
  protocolFees: readonly [bigint, bigint];
}

/** A direct position or a token id while nothing of it changes. */
export interface OwnedSpan extends LiquiditySpan {
  owner: Address;
  /** Undefined for a direct position. */
  tokenId: bigint | undefined;
}

interface Range {
  from: number;
  to: number;
}

const joined = (items: readonly (string | number)[]): string => items.join(",");

export class V3Rows {
  readonly #at: AsOf;
  readonly #range: Range;

  /** `at` is the last block's. */
  constructor(at: AsOf, range: Range) {
    this.#at = at;
    this.#range = range;
  }

  /** Ascending, by the pool's number. There may be very many: nothing is made of them on the way. */
  async slots(pools: readonly number[]): Promise<Map<number, SlotSpan[]>> {
    const { columns } = kinds.slot;
    const many = await this.#readText(slotsText(this.#at.fold), [joined(pools)], columns);
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
    for (const spans of slots.values()) spans.sort((a, b) => a.from - b.from);
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
    return readMany(this.#at.alone, { text, parameters }, ["pool", "since", "until", ...columns]);
  }
}

interface Row {
  pool: number;
  from: number;
  until: number;
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
