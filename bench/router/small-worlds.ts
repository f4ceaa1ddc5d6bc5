// Worlds so small that the optimum can be found by trying every path and every amount. How close does our router get?
import { findRoute } from "../../core/router/find-route.ts";
import { type GasCharge, legGasUnits } from "../../core/router/gas.ts";
import { buildGraph } from "../../core/router/graph.ts";
import { type Pool, type Step, tokenOutOf } from "../../core/router/pool.ts";
import { PoolTables } from "../../core/router/pool-tables.ts";
import { quoteLegs } from "../../core/router/quote-path.ts";
import { gasCharge } from "./gas-terms.ts";
import { type Draw, drawFrom, drawToken, drawV2, drawV3, fees, queryOf, type WorldToken } from "./world.ts";

export interface SmallCase {
  number: number;
  pools: number;
  paths: number;
  usd: number;
  hasGas: boolean;
  /** Net of gas where it has a cost. */
  ours: number;
  optimum: number;
}

interface Leg {
  path: Step[];
  amount: bigint;
}

/** A world of two to four tokens and two to six pools, and a question that it can answer; undefined when it cannot. */
export function trySmallCase(seed: number, number: number): SmallCase | undefined {
  const draw = drawFrom(seed * 10_007 + number);
  const ether: WorldToken = { symbol: "WETH", address: `0x${"e".repeat(40)}`, decimals: 18, price: 3_000 };
  const tokens = [ether, ...Array.from({ length: 1 + Math.floor(draw() * 3) }, (_, i) => drawToken(draw, i))];
  const pools = drawPools(draw, tokens);
  const [tokenIn, tokenOut] = draw() < 0.5 ? [tokens[0], tokens[1]] : [tokens[1], tokens[0]];
  if (tokenIn === undefined || tokenOut === undefined) return undefined;
  const usd = [1_000, 10_000, 50_000, 200_000][Math.floor(draw() * 4)] as number;
  const { amountIn: amount } = queryOf(tokenIn, tokenOut, usd);
  const hasGas = draw() < 0.5;
  const gas = gasCharge({ tokens, pools, worth: [] }, tokenOut);
  const paths = pathsBetween(pools, tokenIn.address, tokenOut.address);
  const search = new Optimum(paths, amount, hasGas ? gas : undefined);
  const optimum = search.find();
  const request = { tokenIn: tokenIn.address, tokenOut: tokenOut.address, amount, type: "exactIn" } as const;
  const route = findRoute(buildGraph(pools), hasGas ? { ...request, gas } : request);
  if (optimum === undefined && route === undefined) return undefined;
  const ours = route === undefined ? 0 : Number(route.quoteGasAdjusted);
  return { number, pools: pools.length, paths: paths.length, usd, hasGas, ours, optimum: optimum ?? ours };
}

function drawPools(draw: Draw, tokens: readonly WorldToken[]): Pool[] {
  const count = 2 + Math.floor(draw() * 5);
  return Array.from({ length: count }, (_, n) => {
    const one = Math.floor(draw() * tokens.length);
    const other = (one + 1 + Math.floor(draw() * (tokens.length - 1))) % tokens.length;
    const [a, b] = [tokens[one] as WorldToken, tokens[other] as WorldToken];
    const pair: [WorldToken, WorldToken] = a.address < b.address ? [a, b] : [b, a];
    const address = `0x${(n + 1).toString(16).padStart(40, "0")}`;
    if (draw() < 0.3) return drawV2(draw, { pair, address }).pool;
    return drawV3(draw, { pair, address, fee: fees[Math.floor(draw() * fees.length)] as number }).pool;
  });
}

/** Every way from one token to the other over at most four pools that passes no token twice. */
export function pathsBetween(pools: readonly Pool[], from: string, to: string): Step[][] {
  const found: Step[][] = [];
  const walk = (at: string, path: Step[], seen: readonly string[]) => {
    if (at === to) found.push(path);
    if (at === to || path.length === 4) return;
    for (const pool of pools) {
      if (pool.token0 !== at && pool.token1 !== at) continue;
      const step = { pool, tokenIn: at };
      const next = tokenOutOf(step);
      if (!seen.includes(next)) walk(next, [...path, step], [...seen, next]);
    }
  };
  walk(from, [], [from]);
  return found;
}

/** Amounts over all paths, in millionths, moved from path to path as long as that helps. */
class Optimum {
  static readonly #units = 1_000_000;
  readonly #paths: readonly Step[][];
  readonly #amount: bigint;
  readonly #tables = new PoolTables();
  readonly #gas: GasCharge | undefined;

  constructor(paths: readonly Step[][], amount: bigint, gas: GasCharge | undefined) {
    this.#paths = paths;
    this.#amount = amount;
    this.#gas = gas;
  }

  /** Without gas it tries all paths at once; with gas all single paths, all pairs, and the paths of the best result without gas. */
  find(): number | undefined {
    const all = this.#paths.map((_, i) => i);
    const starts = this.#improveFromEach(all);
    const best = this.#bestOf(starts);
    if (this.#gas === undefined || best === undefined) return best && this.#output(best);
    const used = all.filter((i) => (best[i] as number) > 0);
    const sets = [...all.map((i) => [i]), ...all.flatMap((i) => all.slice(i + 1).map((j) => [i, j])), ...subsets(used)];
    const nets = sets.flatMap((set) => {
      const end = this.#bestOf(this.#improveFromEach(set));
      return end === undefined ? [] : [this.#net(end) ?? Number.NEGATIVE_INFINITY];
    });
    return nets.length === 0 ? undefined : Math.max(...nets);
  }

  #improveFromEach(set: readonly number[]): number[][] {
    return set.map((start) => this.#improve(set, start)).filter((units) => units !== undefined);
  }

  #bestOf(candidates: readonly number[][]): number[] | undefined {
    let best: number[] | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const candidate of candidates) {
      const output = this.#output(candidate) ?? Number.NEGATIVE_INFINITY;
      if (output > most) [best, most] = [candidate, output];
    }
    return best;
  }

  /** Begins with everything on one path, and halves the step whenever no move helps. */
  #improve(allowed: readonly number[], start: number): number[] | undefined {
    const units = this.#paths.map(() => 0);
    units[start] = Optimum.#units;
    let value = this.#output(units);
    for (let step = Optimum.#units / 4; step >= 50; ) {
      const better = this.#bestMove(units, { allowed, step, value });
      if (better === undefined) {
        step = Math.floor(step / 2);
        continue;
      }
      units[better.from] = (units[better.from] as number) - step;
      units[better.to] = (units[better.to] as number) + step;
      value = better.value;
    }
    return value === undefined ? undefined : units;
  }

  #bestMove(
    units: readonly number[],
    { allowed, step, value }: { allowed: readonly number[]; step: number; value: number | undefined },
  ): { from: number; to: number; value: number } | undefined {
    let best: { from: number; to: number; value: number } | undefined;
    for (const from of allowed) {
      if ((units[from] as number) < step) continue;
      for (const to of allowed) {
        if (to === from) continue;
        const moved = [...units];
        moved[from] = (moved[from] as number) - step;
        moved[to] = (moved[to] as number) + step;
        const output = this.#output(moved);
        if (output !== undefined && output > (best?.value ?? value ?? 0)) best = { from, to, value: output };
      }
    }
    return best;
  }

  #legs(units: readonly number[]): Leg[] {
    return this.#paths
      .map((path, i) => ({ path, amount: (this.#amount * BigInt(units[i] as number)) / BigInt(Optimum.#units) }))
      .filter(({ amount }) => amount > 0n)
      .sort((one, other) => (one.amount > other.amount ? -1 : 1));
  }

  #output(units: readonly number[]): number | undefined {
    const quotes = quoteLegs(this.#legs(units), "exactIn", this.#tables);
    return quotes && Number(quotes.reduce((sum, { amountOut }) => sum + amountOut, 0n));
  }

  #net(units: readonly number[]): number | undefined {
    const quotes = quoteLegs(this.#legs(units), "exactIn", this.#tables);
    if (quotes === undefined || this.#gas === undefined) return undefined;
    const { numerator, denominator } = this.#gas.quotePerUnit;
    const gas = quotes.reduce((sum, { hops }) => {
      const ticks = hops.reduce((crossed, hop) => crossed + hop.ticksCrossed, 0);
      const kinds = hops.map(({ pool }) => pool.kind);
      return sum + legGasUnits(kinds, ticks);
    }, 0);
    const output = quotes.reduce((sum, { amountOut }) => sum + amountOut, 0n);
    return Number(output) - (gas * Number(numerator)) / Number(denominator);
  }
}

/** Subsets of three or more. */
function subsets(of: readonly number[]): number[][] {
  const few = of.slice(0, 6);
  return Array.from({ length: 2 ** few.length }, (_, bits) => few.filter((_each, i) => (bits >> i) & 1)).filter(
    (set) => set.length > 2,
  );
}

/** `count` cases that have an answer. */
export function* smallCases(count: number, seed: number): Generator<SmallCase> {
  for (let number = 0, found = 0; found < count; number++) {
    const made = trySmallCase(seed, number);
    if (made === undefined) continue;
    found += 1;
    yield made;
  }
}

/** The part of the optimum that our router reaches; above 1 where the search's millionths are too coarse. */
export const shareOf = ({ ours, optimum }: SmallCase): number => ours / optimum;
