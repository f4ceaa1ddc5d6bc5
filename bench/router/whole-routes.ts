// Complete quotes for the same questions, ours and the peers' in turn in one process.
import { findRoute } from "../../core/router/find-route.ts";
import { gasModel, legGasUnits } from "../../core/router/gas.ts";
import { buildGraph, type Graph } from "../../core/router/graph.ts";
import type { Step } from "../../core/router/pool.ts";
import { quotePath } from "../../core/router/quote-path.ts";
import type { RouteRequest } from "../../core/router/request.ts";
import type { Route } from "../../core/router/route.ts";
import { differsIn, wrongIn } from "./check-answer.ts";
import { GAS_PRICE_WEI, gasCharge, gasPriceIn, outcomeOf } from "./gas-terms.ts";
import type { Peers } from "./peers.ts";
import { type AskPeer, type PeerLeg, smartOrderRouter } from "./smart-order-router.ts";
import { type AskTines, type TinesRoute, tines } from "./tines.ts";
import { drawQueries, makeWorld, type Query, type World } from "./world.ts";
import type { Task } from "./world-file.ts";

export interface QueryResult {
  seed?: number;
  pair: string;
  usd: number;
  /** Medians of the rounds, in milliseconds; with gas, and without any. */
  ms: { ours: number; oursNoGas: number; sor?: number; tines?: number };
  /** Time of the first answer, before any pool has been used. */
  coldMs: number;
  /** Output less gas, by the same gas model. */
  net: { ours?: number | undefined; sor?: number | undefined; tines?: number | undefined };
  /** Output when gas costs nothing. */
  gross: { ours?: number | undefined; tines?: number | undefined };
  legs: { ours: number; sor: number; tines: number };
  /** How our answer differs from what its pools do. */
  wrong?: string | undefined;
}

class Contest {
  readonly #task: Task;
  readonly #graph: Graph;
  /** The same pools in another order. */
  readonly #reordered: Graph;
  readonly #sor: AskPeer;
  readonly #tines: AskTines;

  constructor(task: Task, peers: Peers) {
    this.#task = task;
    this.#graph = buildGraph(task.world.pools);
    this.#sor = smartOrderRouter(peers, task.world, GAS_PRICE_WEI);
    this.#tines = tines(peers, task.world);
    this.#reordered = buildGraph([...task.world.pools].reverse());
  }

  #request({ tokenIn, tokenOut, amountIn }: Query, { hasGas }: { hasGas: boolean }): RouteRequest {
    return {
      tokenIn: tokenIn.address,
      tokenOut: tokenOut.address,
      amount: amountIn,
      type: "exactIn",
      ...(hasGas ? { gas: gasCharge(this.#task.world, tokenOut) } : {}),
    };
  }

  ours(query: Query, { hasGas }: { hasGas: boolean }): Route | undefined {
    return findRoute(this.#graph, this.#request(query, { hasGas }));
  }

  #wrong(query: Query, { ours, free, sor, tines: peer }: Answers): string | undefined {
    if (ours === undefined || free === undefined) {
      return sor === undefined && peer === undefined ? undefined : "there is no answer, but another router has one";
    }
    const [priced, unpriced] = [true, false].map((hasGas) => this.#request(query, { hasGas })) as [
      RouteRequest,
      RouteRequest,
    ];
    return (
      wrongIn(priced, ours) ??
      wrongIn(unpriced, free) ??
      differsIn(priced, ours, this.#reordered) ??
      differsIn(unpriced, free, this.#reordered)
    );
  }

  async measure(query: Query, rounds: number): Promise<QueryResult> {
    const [cold, coldMs] = timed(() => this.ours(query, { hasGas: true }));
    const times: Times = { ours: [], oursNoGas: [], sor: [], tines: [] };
    const answers: Answers = { ours: cold };
    for (let round = 0; round < rounds; round++) {
      times.ours.push(timed(() => this.ours(query, { hasGas: true }))[1]);
      const [free, ms] = timed(() => this.ours(query, { hasGas: false }));
      times.oursNoGas.push(ms);
      answers.free = free;
      this.#askTines(query, times, answers);
      // the slow peer has fewer rounds: its figures are far from any bound
      if (round < 2) await this.#askSor(query, times, answers);
    }
    return {
      pair: `${query.tokenIn.symbol}/${query.tokenOut.symbol}`,
      usd: query.usd,
      ms: {
        ours: medianOf(times.ours),
        oursNoGas: medianOf(times.oursNoGas),
        ...(times.sor.length > 0 ? { sor: medianOf(times.sor) } : {}),
        ...(times.tines.length > 0 ? { tines: medianOf(times.tines) } : {}),
      },
      coldMs,
      net: this.#nets(query, answers),
      gross: {
        ours: answers.free && Number(answers.free.quote),
        tines: answers.tinesFree?.amountOut,
      },
      legs: {
        ours: cold?.legs.length ?? 0,
        sor: answers.sor?.length ?? 0,
        tines: answers.tinesFree?.legs.length ?? 0,
      },
      wrong: this.#wrong(query, answers),
    };
  }

  #askTines(query: Query, times: Times, answers: Answers): void {
    const ask = this.#tines;
    const [free, ms] = timed(() => quietly(() => ask(query, 0)));
    times.tines.push(ms);
    answers.tinesFree = free;
    answers.tines = quietly(() => ask(query, Number(GAS_PRICE_WEI)));
  }

  async #askSor(query: Query, times: Times, answers: Answers): Promise<void> {
    const start = performance.now();
    answers.sor = await this.#sor(query).catch((error: unknown) => {
      console.log(`smart-order-router failed: ${error}`);
      return undefined;
    });
    times.sor.push(performance.now() - start);
  }

  #nets({ tokenOut }: Query, { ours, sor, tines: peer }: Answers): QueryResult["net"] {
    const gasPrice = gasPriceIn(this.#task.world, tokenOut);
    const own = ours && outcomeOf(legsOf(ours), gasPrice);
    if (ours && own?.gross !== Number(ours.quote))
      throw new Error(`our route promises ${ours.quote}, and gives ${own?.gross} when it is executed`);
    return {
      ours: own?.net,
      sor: sor && outcomeOf(sor, gasPrice)?.net,
      tines: peer && netOfTines(this.#task.world, peer, gasPrice),
    };
  }
}

type Times = Record<"ours" | "oursNoGas" | "sor" | "tines", number[]>;

interface Answers {
  ours: Route | undefined;
  free?: Route | undefined;
  sor?: PeerLeg[] | undefined;
  tines?: TinesRoute | undefined;
  tinesFree?: TinesRoute | undefined;
}

/** Another world warms the process, so that afterwards only the pools are cold. */
export async function warmUp(peers: Peers): Promise<void> {
  const world = makeWorld({ v3: 50, v2: 20, seed: 424_242 });
  const runner = new Contest({ world, queries: [] }, peers);
  for (const query of drawQueries(world, 20, 7)) await runner.measure(query, 1);
}

/** Every query in turn. */
export async function contest(task: Task, peers: Peers, rounds: number): Promise<QueryResult[]> {
  const runner = new Contest(task, peers);
  const results: QueryResult[] = [];
  for (const query of task.queries) results.push(await runner.measure(query, rounds));
  return results;
}

function legsOf({ legs }: Route): { path: readonly Step[]; amount: bigint }[] {
  return legs.map(({ hops, amountIn }) => ({ path: hops, amount: amountIn }));
}

/** The peer's route is a graph of pools, each in a call of its own: every pool counts as a section, charged by the same constants. */
function netOfTines(world: World, route: TinesRoute, gasPrice: number): number {
  const pools = new Map(world.pools.map((pool) => [pool.address, pool]));
  const isAlone = route.legs.length === 1;
  const units = route.legs.reduce((sum, { poolAddress, tokenFrom, assumedAmountIn }) => {
    const pool = pools.get(poolAddress);
    if (pool === undefined) return sum;
    const amount = BigInt(Math.floor(assumedAmountIn));
    const ticks = quotePath([{ pool, tokenIn: tokenFrom.address }], amount, "exactIn")?.hops[0]?.ticksCrossed ?? 0;
    const overhead = pool.kind === "v3" && !isAlone ? gasModel.v3SingleHop : 0;
    return sum + legGasUnits([pool.kind], ticks) - overhead;
  }, 0);
  return route.amountOut - units * gasPrice;
}

function timed<T>(work: () => T): [T, number] {
  const start = performance.now();
  const result = work();
  return [result, performance.now() - start];
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}
