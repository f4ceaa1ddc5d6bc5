// A v3 pool that goes forward, as the contract does: it takes amount and price limit, and logs what came of them. It
// shares the integer math with the replay (which is checked against Solidity) but none of its reasoning.
import { addDelta } from "../../core/math/liquidity-math.ts";
import {
  getAmount0DeltaRoundingDown,
  getAmount0DeltaRoundingUp,
  getAmount1DeltaRoundingDown,
  getAmount1DeltaRoundingUp,
} from "../../core/math/sqrt-price-math.ts";
import { computeSwapStep } from "../../core/math/swap-math.ts";
import { nextInitializedTickWithinOneWord } from "../../core/math/tick-bitmap.ts";
import { getSqrtRatioAtTick, getTickAtSqrtRatio, MAX_TICK, MIN_TICK } from "../../core/math/tick-math.ts";
import type { PoolFact } from "../../core/v3/facts.ts";
import type { PoolConstants } from "../../core/v3/state.ts";

interface Tick {
  gross: bigint;
  net: bigint;
  outside: [bigint, bigint];
}

export interface Order {
  zeroForOne: boolean;
  /** Positive: exact input. Negative: exact output. */
  amountSpecified: bigint;
  sqrtPriceLimitX96: bigint;
}

interface Trade {
  remaining: bigint;
  paid: bigint;
  received: bigint;
  earned: bigint;
}

const wrap = (value: bigint): bigint => BigInt.asUintN(256, value);

export class ForwardPool {
  readonly constants: PoolConstants;
  readonly ticks = new Map<number, Tick>();
  readonly growth: [bigint, bigint] = [0n, 0n];
  readonly protocolFees: [bigint, bigint] = [0n, 0n];
  readonly feeProtocol: [number, number];
  price: bigint;
  tick: number;
  liquidity = 0n;
  #sorted: number[] = [];
  #logs = 0;

  constructor(constants: PoolConstants, price: bigint) {
    this.constants = constants;
    this.feeProtocol = [constants.initialFeeProtocol0, constants.initialFeeProtocol1];
    this.price = price;
    this.tick = getTickAtSqrtRatio(price);
  }

  /** A pool that goes on from here on its own. */
  clone(): ForwardPool {
    const copy = new ForwardPool(this.constants, this.price);
    const { tick, liquidity } = this;
    Object.assign(copy, { tick, liquidity });
    for (const [at, info] of this.ticks) copy.ticks.set(at, { ...info, outside: [...info.outside] });
    for (const side of [0, 1] as const) {
      copy.growth[side] = this.growth[side];
      copy.protocolFees[side] = this.protocolFees[side];
      copy.feeProtocol[side] = this.feeProtocol[side];
    }
    copy.#sorted = [...this.#sorted];
    return copy;
  }

  initialize(): PoolFact {
    return { ...this.#place(), kind: "initialize", sqrtPriceX96: this.price, tick: this.tick };
  }

  mint(tickLower: number, tickUpper: number, amount: bigint): PoolFact {
    const at = this.#priceWithin(tickLower, tickUpper);
    const amount0 = getAmount0DeltaRoundingUp(at, getSqrtRatioAtTick(tickUpper), amount);
    const amount1 = getAmount1DeltaRoundingUp(getSqrtRatioAtTick(tickLower), at, amount);
    this.#addLiquidity(tickLower, tickUpper, amount);
    const owner = "0x00000000000000000000000000000000000000aa";
    const range = { tickLower, tickUpper, amount, amount0, amount1 };
    return { ...this.#place(), kind: "mint", sender: owner, owner, ...range };
  }

  burn(tickLower: number, tickUpper: number, amount: bigint): PoolFact {
    const at = this.#priceWithin(tickLower, tickUpper);
    const amount0 = getAmount0DeltaRoundingDown(at, getSqrtRatioAtTick(tickUpper), amount);
    const amount1 = getAmount1DeltaRoundingDown(getSqrtRatioAtTick(tickLower), at, amount);
    this.#addLiquidity(tickLower, tickUpper, -amount);
    const owner = "0x00000000000000000000000000000000000000aa";
    return { ...this.#place(), kind: "burn", owner, tickLower, tickUpper, amount, amount0, amount1 };
  }

  /** What was paid beyond the loan; the contract refuses without liquidity. */
  flash(paid: [bigint, bigint]): PoolFact {
    for (const token of [0, 1] as const) {
      const part = this.#spread(paid[token], token === 0);
      this.protocolFees[token] = BigInt.asUintN(128, this.protocolFees[token] + part);
    }
    return { ...this.#place(), kind: "flash", paid0: paid[0], paid1: paid[1] };
  }

  setFeeProtocol(feeProtocol0New: number, feeProtocol1New: number): PoolFact {
    const [feeProtocol0Old, feeProtocol1Old] = this.feeProtocol;
    this.feeProtocol[0] = feeProtocol0New;
    this.feeProtocol[1] = feeProtocol1New;
    const settings = { feeProtocol0Old, feeProtocol1Old, feeProtocol0New, feeProtocol1New };
    return { ...this.#place(), kind: "setFeeProtocol", ...settings };
  }

  collectProtocol(amount0: bigint, amount1: bigint): PoolFact {
    this.protocolFees[0] -= amount0;
    this.protocolFees[1] -= amount1;
    return { ...this.#place(), kind: "collectProtocol", amount0, amount1 };
  }

  #priceWithin(tickLower: number, tickUpper: number): bigint {
    if (this.tick < tickLower) return getSqrtRatioAtTick(tickLower);
    return this.tick >= tickUpper ? getSqrtRatioAtTick(tickUpper) : this.price;
  }

  #addLiquidity(tickLower: number, tickUpper: number, amount: bigint): void {
    if (amount === 0n) return;
    this.#touch(tickLower, amount, amount);
    this.#touch(tickUpper, amount, -amount);
    if (this.tick >= tickLower && this.tick < tickUpper) this.liquidity += amount;
  }

  #touch(tick: number, gross: bigint, net: bigint): void {
    const existing = this.ticks.get(tick);
    const outside: [bigint, bigint] = tick <= this.tick ? [...this.growth] : [0n, 0n];
    const info = existing ?? { gross: 0n, net: 0n, outside };
    if (info.gross + gross === 0n) this.ticks.delete(tick);
    else this.ticks.set(tick, { ...info, gross: info.gross + gross, net: info.net + net });
    this.#sorted = [...this.ticks.keys()].sort((a, b) => a - b);
  }

  /** The contract's loop. Empty when the contract would have refused the limit. */
  swap(order: Order): PoolFact[] {
    const { zeroForOne, amountSpecified, sqrtPriceLimitX96: limit } = order;
    if (zeroForOne ? limit >= this.price : limit <= this.price) return [];
    const trade = { remaining: amountSpecified, paid: 0n, received: 0n, earned: 0n };
    while (trade.remaining !== 0n && this.price !== limit) this.#step(order, trade);
    const inn = zeroForOne ? 0 : 1;
    this.protocolFees[inn] = BigInt.asUintN(128, this.protocolFees[inn] + trade.earned);
    return this.#log(zeroForOne, trade);
  }

  #step({ zeroForOne, amountSpecified, sqrtPriceLimitX96: limit }: Order, trade: Trade): void {
    const start = this.price;
    const { fee, tickSpacing } = this.constants;
    const found = nextInitializedTickWithinOneWord(this.#sorted, { tick: this.tick, tickSpacing, lte: zeroForOne });
    const next = Math.max(MIN_TICK, Math.min(MAX_TICK, found.next));
    const nextPrice = getSqrtRatioAtTick(next);
    const isBeyond = zeroForOne ? nextPrice < limit : nextPrice > limit;
    const step = computeSwapStep(start, isBeyond ? limit : nextPrice, this.liquidity, trade.remaining, BigInt(fee));
    this.price = step.sqrtRatioNextX96;
    trade.remaining += amountSpecified > 0n ? -(step.amountIn + step.feeAmount) : step.amountOut;
    trade.paid += step.amountIn + step.feeAmount;
    trade.received += step.amountOut;
    trade.earned += this.#spread(step.feeAmount, zeroForOne);
    if (this.price === nextPrice) this.#cross(next, found.initialized, zeroForOne);
    else if (this.price !== start) this.tick = getTickAtSqrtRatio(this.price);
  }

  /** Gives the fee to protocol and liquidity; returns the protocol's part. */
  #spread(fee: bigint, zeroForOne: boolean): bigint {
    const { flavour } = this.constants;
    const setting = BigInt(this.feeProtocol[zeroForOne ? 0 : 1]);
    const cut = () => (flavour === "kodiak" ? (fee * setting) / 10_000n : fee / setting);
    const part = setting === 0n ? 0n : cut();
    const inn = zeroForOne ? 0 : 1;
    if (this.liquidity > 0n) this.growth[inn] = wrap(this.growth[inn] + ((fee - part) << 128n) / this.liquidity);
    return part;
  }

  #log(zeroForOne: boolean, { paid, received, earned }: Trade): PoolFact[] {
    const facts: PoolFact[] = [];
    if (this.constants.flavour === "kodiak" && earned > 0n) {
      const [amount0, amount1] = zeroForOne ? [earned, 0n] : [0n, earned];
      facts.push({ ...this.#place(), kind: "protocolFeesEarned", amount0, amount1 });
    }
    const [amount0, amount1] = zeroForOne ? [paid, -received] : [-received, paid];
    const end = { sqrtPriceX96: this.price, liquidity: this.liquidity, tick: this.tick };
    facts.push({ ...this.#place(), kind: "swap", amount0, amount1, ...end });
    return facts;
  }

  #cross(next: number, initialized: boolean, zeroForOne: boolean): void {
    this.tick = zeroForOne ? next - 1 : next;
    const info = this.ticks.get(next);
    if (!initialized || info === undefined) return;
    info.outside = [wrap(this.growth[0] - info.outside[0]), wrap(this.growth[1] - info.outside[1])];
    this.liquidity = addDelta(this.liquidity, zeroForOne ? -info.net : info.net);
  }

  #place() {
    this.#logs += 1;
    return { block: 1 + Math.floor(this.#logs / 100), logIndex: this.#logs, txIndex: 0, pool: this.constants.pool };
  }
}
