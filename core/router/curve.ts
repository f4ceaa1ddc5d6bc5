// A pool in one direction in double precision, for the search: quick, and right to about 10 digits. What the search finds is
// always worked out again in integers.
//
// Both kinds of pool are a row of constant-product segments. With u = √(output ÷ input) at the margin and liquidity L, an
// input n (less its fee) takes u to u' = L·u ÷ (L + n·u) and gives n·u·u'; an output o takes u to u − o ÷ L. That holds for
// either direction of a v3 pool, and a v2 pair is one segment, which ends where its reserve is full: another one after each swap, for
// its fee stays in it.
import type { Pool, V3Pool, V3Tick } from "./pool.ts";
import { MAX_RESERVE } from "./v2-fill.ts";

const LOG_SQRT_TICK = Math.log(1.0001) / 2;
const TWO_96 = 2 ** 96;
/** Doubles are right to about this part. */
const ROUNDING = 1e-9;
const FULL_RESERVE = Number(MAX_RESERVE) * (1 - ROUNDING);

/** What one conversion leaves in {@link Curve.at}: where it ended. */
interface Mark {
  segment: number;
  liquidity: number;
  /** √(output ÷ input) at the margin. */
  u: number;
}

/** Segments are made when an amount reaches them. Sums are of inputs with their fee, and of outputs. */
export class Curve {
  /** 1 less the fee. */
  readonly keep: number;
  readonly u: number[] = [];
  readonly liquidity: number[] = [];
  readonly input: number[] = [];
  readonly output: number[] = [];
  /** Where the last conversion ended. */
  readonly at: Mark = { segment: 0, liquidity: 0, u: 0 };
  /** Of a v2 pair, input and output. */
  readonly reserves: readonly [number, number] | undefined;
  /** Sold together with the first input. */
  readonly #unsynced: number;
  #source: Segments | undefined;

  constructor(pool: Pool, zeroForOne: boolean) {
    this.keep = 1 - pool.fee / 1e6;
    this.#unsynced = pool.kind === "v2" ? Number((zeroForOne ? pool.unsynced0 : pool.unsynced1) ?? 0n) : 0;
    if (pool.kind === "v3") {
      this.#source = new Segments(pool, zeroForOne);
      this.#addSegment();
      return;
    }
    const [reserveIn, reserveOut] = zeroForOne ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
    this.reserves = [Number(reserveIn), Number(reserveOut)];
    this.u.push(Math.sqrt(this.reserves[1] / this.reserves[0]), 0);
    this.liquidity.push(Math.sqrt(this.reserves[0]) * Math.sqrt(this.reserves[1]));
    this.input.push(0, Number(MAX_RESERVE - reserveIn) * (1 - ROUNDING));
    this.output.push(0, belowAll(this.reserves[1]));
  }

  /**
   * One more swap of a pair that sold `output` for `input` before: what `amount` is converted to; −1 beyond what the pair can give or
   * hold. The fee of a swap stays in the reserves, so that what comes after is not the same curve's next part.
   */
  swapAfter({ input, output }: { input: number; output: number }, amount: number, isForward: boolean): number {
    const [reserveIn, reserveOut] = this.reserves as readonly [number, number];
    const x = reserveIn + this.#unsynced + input;
    const y = reserveOut - output;
    const u = Math.sqrt(y / x);
    const liquidity = Math.sqrt(x) * Math.sqrt(y);
    const net = amount * this.keep;
    const end = isForward ? (liquidity * u) / (liquidity + net * u) : u - amount / liquidity;
    if (end <= 0 || (!isForward && amount > y - 1)) return -1;
    this.at.segment = 0;
    this.at.liquidity = liquidity;
    this.at.u = end;
    const converted = isForward ? Math.min(net * u * end, y - 1) : amount / (u * end) / this.keep;
    return x + (isForward ? amount : converted) > FULL_RESERVE ? -1 : converted;
  }

  /** The whole output for the whole input so far; −1 beyond what the pool takes. `hint`: a segment not beyond the end. */
  outputFor(paid: number, hint: number): number {
    const input = paid + this.#unsynced;
    const segment = this.#segmentOf(this.input, input, hint);
    if (segment < 0) return -1;
    const liquidity = this.liquidity[segment] as number;
    const u = this.u[segment] as number;
    const net = (input - (this.input[segment] as number)) * this.keep;
    const end = (liquidity * u) / (liquidity + net * u);
    this.at.segment = segment;
    this.at.liquidity = liquidity;
    this.at.u = end;
    return Math.min((this.output[segment] as number) + net * u * end, this.output[segment + 1] as number);
  }

  /** The whole input for the whole output so far; −1 beyond what the pool can give, or a pair hold. */
  inputFor(output: number, hint: number): number {
    const segment = this.#segmentOf(this.output, output, hint);
    if (segment < 0) return -1;
    const u = this.u[segment] as number;
    const wanted = output - (this.output[segment] as number);
    const liquidity = this.liquidity[segment] as number;
    const end = u - wanted / liquidity;
    if (end <= 0) return -1;
    this.at.segment = segment;
    this.at.liquidity = liquidity;
    this.at.u = end;
    const input = (this.input[segment] as number) + wanted / (u * end) / this.keep;
    return this.reserves !== undefined && input > (this.input[1] as number) ? -1 : input;
  }

  #segmentOf(sums: readonly number[], amount: number, hint: number): number {
    let last = sums.length - 1;
    while ((sums[last] as number) <= amount) {
      if (!this.#addSegment()) return amount === sums[last] ? last - 1 : -1;
      last = sums.length - 1;
    }
    let low = hint;
    // most amounts end near where they begin
    if ((sums[low + 1] as number) > amount) return low;
    let high = last - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((sums[middle] as number) <= amount) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The columns hold one more entry than there are segments: where the last one ends. */
  #addSegment(): boolean {
    const next = this.#source?.next();
    if (next === undefined) {
      this.#source = undefined;
      if (this.input.length === 0) this.#end();
      return false;
    }
    const { from, to, liquidity } = next;
    if (this.input.length === 0) this.#end();
    const last = this.input.length - 1;
    // a gap without liquidity lies between the last segment's end and this one's start: the price jumps
    this.u[last] = from;
    this.u.push(to);
    this.liquidity.push(liquidity);
    const output = liquidity * (from - to);
    this.input.push((this.input[last] as number) + output / (from * to) / this.keep);
    this.output.push((this.output[last] as number) + output);
    return true;
  }

  #end(): void {
    this.u.push(0);
    this.input.push(0);
    this.output.push(0);
  }
}

/** As contracts round: an output down, an input up, and that of a pair by something in any case. Larger doubles are whole. */
export function wholeUnits(amount: number, { isForward, isPair }: { isForward: boolean; isPair: boolean }): number {
  if (amount <= 0 || amount >= Number.MAX_SAFE_INTEGER) return amount;
  if (isForward) return Math.floor(amount * (1 + ROUNDING));
  return isPair ? Math.floor(amount * (1 - ROUNDING)) + 1 : Math.ceil(amount * (1 - ROUNDING));
}

/** The most that a pair gives: it never gives all it has. */
const belowAll = (reserve: number): number => (reserve - 1 < reserve ? reserve - 1 : reserve * (1 - Number.EPSILON));

interface Segment {
  from: number;
  to: number;
  liquidity: number;
}

/** The stretches between initialised ticks that have liquidity, outward from the price. */
class Segments {
  readonly #ticks: readonly V3Tick[];
  readonly #zeroForOne: boolean;
  #next: number;
  #u: number;
  #liquidity: bigint;

  constructor(pool: V3Pool, zeroForOne: boolean) {
    this.#ticks = pool.ticks;
    this.#zeroForOne = zeroForOne;
    this.#u = marginalRoot(pool, zeroForOne);
    this.#liquidity = pool.liquidity;
    const above = firstAbove(pool.ticks, pool.tick);
    this.#next = zeroForOne ? above - 1 : above;
  }

  next(): Segment | undefined {
    for (;;) {
      const tick = this.#ticks[this.#next];
      if (tick === undefined) return undefined;
      this.#next += this.#zeroForOne ? -1 : 1;
      const [from, liquidity] = [this.#u, Number(this.#liquidity)];
      const to = Math.exp((this.#zeroForOne ? tick.tick : -tick.tick) * LOG_SQRT_TICK);
      this.#u = Math.min(from, to);
      this.#liquidity += this.#zeroForOne ? -tick.liquidityNet : tick.liquidityNet;
      if (liquidity > 0 && to < from) return { from, to, liquidity };
    }
  }
}

function firstAbove(ticks: readonly V3Tick[], tick: number): number {
  let low = 0;
  let high = ticks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle] as V3Tick).tick <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** √(output ÷ input) of an untouched pool at the margin, before the fee; 0 when it was never given a price. */
export function marginalRoot(pool: Pool, zeroForOne: boolean): number {
  if (pool.kind === "v2") {
    const [reserveIn, reserveOut] = zeroForOne ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
    return reserveIn > 0n && reserveOut > 0n ? Math.sqrt(Number(reserveOut) / Number(reserveIn)) : 0;
  }
  const root = Number(pool.sqrtPriceX96) / TWO_96;
  return zeroForOne || root === 0 ? root : 1 / root;
}
