// Seconds per liquidity by the blocks of observations, against Oracle.sol written down here and run log by log.
import { describe, expect, it } from "vitest";
import {
  type Observation,
  type OracleFact,
  observedBlocks,
  secondsPerLiquidity,
} from "../../core/averages/v3/seconds-per-liquidity.ts";
import { drawFrom } from "../support/random-pools.ts";

/** contracts/libraries/Oracle.sol: the last observation of a pool, in full. */
class OracleAsWritten {
  time = 0;
  perLiquidity = 0n;

  /** `observeSingle` for now. */
  now(time: number, liquidity: bigint): bigint {
    const elapsed = BigInt(time - this.time);
    return BigInt.asUintN(160, this.perLiquidity + (elapsed << 128n) / (liquidity > 0n ? liquidity : 1n));
  }

  write(time: number, liquidity: bigint): void {
    if (this.time === time) return;
    this.perLiquidity = this.now(time, liquidity);
    this.time = time;
  }
}

/** A pool's blocks: swaps that stay within a tick or leave it, liquidity in and out of range, pokes, nothing at all. */
class Life {
  readonly times: number[] = [];
  /** The oracle's number at the time of each block, after its logs. */
  readonly expected: (bigint | undefined)[] = [];
  readonly facts: OracleFact[] = [];
  readonly liquidityAt: bigint[] = [];
  readonly #oracle = new OracleAsWritten();
  readonly #draw: () => number;
  readonly #ranges: { tickLower: number; tickUpper: number; liquidity: bigint }[];
  #tick: number | undefined;

  constructor(seed: number) {
    this.#draw = drawFrom(seed);
    const drawRange = () => ({ tickLower: -this.#int(50), tickUpper: 1 + this.#int(50), liquidity: 0n });
    this.#ranges = Array.from({ length: 6 }, drawRange);
    let time = 1_700_000_000;
    for (let block = 0; block < 60; block++) {
      // blocks of one time, too
      time += this.#int(4);
      for (let i = block > 3 ? this.#int(4) : 0; i > 0; i--) this.#act(block, time);
      this.times.push(time);
      this.liquidityAt.push(this.#active());
      this.expected.push(this.#tick === undefined ? undefined : this.#oracle.now(time, this.#active()));
    }
  }

  #int(most: number): number {
    return Math.floor(this.#draw() * most);
  }

  #isInRange({ tickLower, tickUpper }: { tickLower: number; tickUpper: number }): boolean {
    return this.#tick !== undefined && tickLower <= this.#tick && this.#tick < tickUpper;
  }

  #active(): bigint {
    return this.#ranges.reduce((sum, range) => sum + (this.#isInRange(range) ? range.liquidity : 0n), 0n);
  }

  #act(block: number, time: number): void {
    if (this.#tick === undefined) {
      Object.assign(this.#oracle, { time });
      this.#moveTo(this.#int(60) - 30, block);
    } else if (this.#draw() < 0.5) {
      const tick = this.#draw() < 0.4 ? this.#tick : this.#int(120) - 60;
      if (tick !== this.#tick) this.#oracle.write(time, this.#active());
      this.#moveTo(tick, block);
    } else this.#changeLiquidity(block, time);
  }

  #moveTo(tick: number, block: number): void {
    this.#tick = tick;
    this.facts.push({ kind: "price", block, tick });
  }

  #changeLiquidity(block: number, time: number): void {
    const range = this.#ranges[this.#int(6)]!;
    const { tickLower, tickUpper } = range;
    const amount = [0n, range.liquidity, BigInt(this.#int(1_000_000)) * 2n ** BigInt(this.#int(60))][this.#int(3)]!;
    if (this.#isInRange(range) && amount > 0n) this.#oracle.write(time, this.#active());
    range.liquidity += amount === range.liquidity ? -amount : amount;
    this.facts.push({ kind: "liquidity", block, tickLower, tickUpper, amount });
  }
}

describe("seconds per liquidity", () => {
  it("are the oracle's between any two blocks, from whatever block on its observations are read", () => {
    let compared = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const { times, expected, facts, liquidityAt } = new Life(seed);
      const draw = drawFrom(seed + 5_000);
      const first = Math.floor(draw() * 30);
      const observations: Observation[] = observedBlocks(facts, undefined).map((block) => ({
        block,
        liquidity: liquidityAt[block]!,
      }));
      const before = observations.findLastIndex(({ block }) => block <= first);
      const clock = secondsPerLiquidity(observations.slice(Math.max(before, 0)), {
        at: (block) => BigInt(times[block]!),
      });
      const began = observations[0]?.block ?? times.length;
      for (let from = Math.max(first, began); from < times.length; from += 3) {
        const to = from + Math.floor(draw() * (times.length - from));
        const grown = BigInt.asUintN(160, clock.at(to) - clock.at(from));
        expect(grown, `seed ${seed}, blocks ${from} to ${to}`).toBe(
          BigInt.asUintN(160, expected[to]! - expected[from]!),
        );
        compared++;
      }
      if (first < began) expect(clock.at(first)).toBe(0n);
    }
    expect(compared).toBeGreaterThan(1_000);
  });

  it("need each observation that the oracle wrote: without one of them they are others", () => {
    let missed = 0;
    for (let seed = 1; seed <= 30; seed++) {
      const { times, expected, facts, liquidityAt } = new Life(seed);
      const blocks = observedBlocks(facts, undefined);
      if (blocks.length < 5) continue;
      const others = blocks.filter((_, i) => i !== blocks.length - 2);
      const clock = secondsPerLiquidity(
        others.map((block) => ({ block, liquidity: liquidityAt[block]! })),
        { at: (block) => BigInt(times[block]!) },
      );
      const [from, to] = [blocks[0]!, times.length - 1];
      if (BigInt.asUintN(160, clock.at(to) - clock.at(from)) !== BigInt.asUintN(160, expected[to]! - expected[from]!))
        missed++;
    }
    expect(missed).toBeGreaterThan(5);
  });
});
