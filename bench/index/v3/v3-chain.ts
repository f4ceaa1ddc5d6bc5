// A made-up chain of Uniswap v3 swaps, the same for the same size: its logs, the same as facts, and the state of every
// pool after every block.
import { createHash } from "node:crypto";
import { toEventSelector } from "viem";
import { getSqrtRatioAtTick } from "../../../core/math/tick-math.ts";
import type { PoolFact } from "../../../core/v3/facts.ts";
import type { Hex } from "../../ground/synthetic-chain.ts";
import type { ServedChain, ServedLog } from "../../ground/synthetic-rpc.ts";
import { ForwardPool } from "./forward-pool.ts";

export interface V3Shape {
  swaps: number;
  swapsPerBlock: number;
  pools: number;
  /** Empty blocks after the swaps: as many as it takes to make them final. */
  emptyBlocks: number;
}

export const FEE = 3000;
export const TICK_SPACING = 60;
const RANGES_PER_POOL = 24;

const POOL_CREATED = toEventSelector("PoolCreated(address,address,uint24,int24,address)");
const INITIALIZE = toEventSelector("Initialize(uint160,int24)");
const MINT = toEventSelector("Mint(address,address,int24,int24,uint128,uint256,uint256)");
const SWAP = toEventSelector("Swap(address,address,int256,int256,uint160,uint128,int24)");

const addressOf = (name: string): Hex => `0x${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
export const V3_FACTORY = addressOf("v3 factory");
export const V3_MANAGER = addressOf("v3 position manager");
const ROUTER = addressOf("v3 router");
const TRADER = addressOf("v3 trader");

export interface PoolPoint {
  price: bigint;
  tick: number;
  liquidity: bigint;
}

export interface V3Chain extends ServedChain {
  shape: V3Shape;
  poolAddresses: readonly Hex[];
  lastFinal: number;
  /** Every event of a pool, in order. */
  facts: readonly PoolFact[];
  /** All pools by the end of a block, in the order of `poolAddresses`; undefined before their creation. */
  stateAt(block: number): readonly PoolPoint[] | undefined;
}

const word = (value: bigint | number): string => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");
const topic = (value: bigint | number | Hex): Hex =>
  `0x${typeof value === "string" ? value.slice(2).padStart(64, "0") : word(value)}`;
const data = (...values: (bigint | number | Hex)[]): Hex =>
  `0x${values.map((value) => topic(value).slice(2)).join("")}`;

/** xorshift32 (Marsaglia 2003). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

class Writer {
  readonly blocks: ServedLog[][] = [[]];
  readonly facts: PoolFact[] = [];
  #transaction = 0;

  nextBlock(): void {
    this.blocks.push([]);
    this.#transaction = 0;
  }

  nextTransaction(): void {
    this.#transaction += 1;
  }

  log(address: Hex, topics: Hex[], text: Hex): { block: number; logIndex: number; txIndex: number } {
    const logs = this.blocks.at(-1) ?? [];
    logs.push({ address, topics, data: text, transaction: this.#transaction, from: TRADER });
    return { block: this.blocks.length - 1, logIndex: logs.length - 1, txIndex: this.#transaction };
  }

  fact(fact: PoolFact): void {
    this.facts.push(fact);
  }
}

/** A pool with its own price and ranges around it, some of which are always crossed. */
function openPool(writer: Writer, address: Hex, random: (below: number) => number): ForwardPool {
  const [token0, token1] = [addressOf(`${address} 0`), addressOf(`${address} 1`)].sort() as [Hex, Hex];
  writer.log(V3_FACTORY, [POOL_CREATED, topic(token0), topic(token1), topic(FEE)], data(TICK_SPACING, address));
  const price = getSqrtRatioAtTick(random(20_000) - 10_000);
  const pool = new ForwardPool({ fee: FEE, tickSpacing: TICK_SPACING, price });
  const begun = writer.log(address, [INITIALIZE], data(price, pool.tick));
  writer.fact({ kind: "initialize", ...begun, pool: address, sqrtPriceX96: price, tick: pool.tick });
  const middle = Math.floor(pool.tick / TICK_SPACING);
  for (let index = 0; index < RANGES_PER_POOL; index += 1) {
    const lower = index === 0 ? middle - 2_000 : middle + random(60) - 40;
    const upper = index === 0 ? middle + 2_000 : lower + 1 + random(30);
    const [tickLower, tickUpper] = [lower * TICK_SPACING, upper * TICK_SPACING];
    const amount = 10n ** 21n + BigInt(random(1_000_000)) * 10n ** 15n;
    const { amount0, amount1 } = pool.mint(tickLower, tickUpper, amount);
    const topics = [MINT, topic(TRADER), topic(tickLower), topic(tickUpper)];
    const minted = writer.log(address, topics, data(TRADER, amount, amount0, amount1));
    const range = { tickLower, tickUpper, amount, amount0, amount1 };
    writer.fact({ kind: "mint", ...minted, pool: address, sender: TRADER, owner: TRADER, ...range });
  }
  return pool;
}

/** A swap that mostly moves the price towards the middle, large enough to cross a tick now and then. */
function trade(writer: Writer, { pool, address }: { pool: ForwardPool; address: Hex }, random: (n: number) => number) {
  const zeroForOne = random(2) === 0;
  const size = BigInt(1 + random(2 ** 30)) * 10n ** 9n * BigInt(1 + random(40) ** 2);
  const { amount0, amount1 } = pool.swap(zeroForOne, size);
  const { price, liquidity, tick } = pool;
  const topics = [SWAP, topic(ROUTER), topic(TRADER)];
  const place = writer.log(address, topics, data(amount0, amount1, price, liquidity, tick));
  writer.fact({ kind: "swap", ...place, pool: address, amount0, amount1, sqrtPriceX96: price, liquidity, tick });
}

export function createV3Chain(shape: V3Shape): V3Chain {
  const random = generator(20_231);
  const writer = new Writer();
  const poolAddresses = Array.from({ length: shape.pools }, (_, index) => addressOf(`v3 pool ${index}`));
  const states: (readonly PoolPoint[] | undefined)[] = [undefined];
  writer.nextBlock();
  const pools = poolAddresses.map((address) => ({ address, pool: openPool(writer, address, random) }));
  const endBlock = () => states.push(pools.map(({ pool: { price, tick, liquidity } }) => ({ price, tick, liquidity })));
  endBlock();
  for (let left = shape.swaps; left > 0; left -= shape.swapsPerBlock) {
    writer.nextBlock();
    for (let index = 0; index < Math.min(left, shape.swapsPerBlock); index += 1) {
      const picked = pools[random(pools.length)];
      if (picked) trade(writer, picked, random);
      writer.nextTransaction();
    }
    endBlock();
  }
  const lastFinal = writer.blocks.length - 1;
  return {
    shape,
    poolAddresses,
    lastFinal,
    baseHead: lastFinal + shape.emptyBlocks,
    facts: writer.facts,
    logsOf: (block) => writer.blocks[block] ?? [],
    answerCall: () => undefined,
    stateAt: (block) => states[Math.min(block, lastFinal)],
  };
}
