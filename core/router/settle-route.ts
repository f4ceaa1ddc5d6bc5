// From a search's legs to an answer: shares in hundredths of a percent, amounts to the wei, gas.
import type { DraftLeg } from "./draft-leg.ts";
import { gasInQuoteRoundingUp, legGasUnits } from "./gas.ts";
import { type Graph, stepOfEdge } from "./graph.ts";
import type { Step } from "./pool.ts";
import { protocolOf, type RouteRequest } from "./request.ts";
import type { Leg, Route } from "./route.ts";
import { hopsOf, type LegRun, LegRunner, ticksCrossedBy } from "./run-legs.ts";

/** Legs worked out exactly, without what is only worked out for the route that is chosen. */
export interface Settled {
  readonly runs: readonly LegRun[];
  readonly hundredths: readonly number[];
  readonly quote: bigint;
  readonly gasUnits: bigint;
  readonly gasInQuote: bigint | undefined;
  readonly quoteGasAdjusted: bigint;
}

const WHOLE = 10_000;
/** Amounts are parts of the request's in this many. */
const PARTS = 2 ** 40;

/** Undefined when the contracts would refuse a leg, or when a leg would get nothing. */
export function settle(graph: Graph, request: RouteRequest, legs: readonly DraftLeg[]): Settled | undefined {
  const { amount, type, gas } = request;
  const shares = sharesOf(legs);
  const runner = new LegRunner(graph.tables);
  const runs: LegRun[] = [];
  let left = amount;
  for (const [i, { leg, parts }] of shares.entries()) {
    const part = i === shares.length - 1 ? left : (amount * BigInt(parts)) / BigInt(PARTS);
    left -= part;
    const run = runner.run(pathOf(graph, leg.edges, type === "exactIn"), part, type);
    if (run === undefined || run.amountOut <= 0n) return undefined;
    runs.push(run);
  }
  const gasUnits = BigInt(runs.reduce((sum, run) => sum + gasUnitsOf(run), 0) + (gas?.extraUnits ?? 0));
  const gasInQuote = gas === undefined ? undefined : gasInQuoteRoundingUp(gasUnits, gas);
  const quote = runs.reduce((sum, run) => sum + (type === "exactIn" ? run.amountOut : run.amountIn), 0n);
  const quoteGasAdjusted = type === "exactIn" ? quote - (gasInQuote ?? 0n) : quote + (gasInQuote ?? 0n);
  const hundredths = shares.map((share) => share.hundredths);
  return { runs, hundredths, quote, gasUnits, gasInQuote, quoteGasAdjusted };
}

/** The answer; `single` is the best single path, where there is one. */
export function routeOf(request: RouteRequest, settled: Settled, single: Settled | undefined): Route {
  const { runs, quote, gasUnits, gasInQuote, quoteGasAdjusted } = settled;
  const legs = runs.map((run, i): Leg => {
    return {
      protocol: protocolOf(run.path.map(({ pool }) => pool.kind)),
      percentHundredths: settled.hundredths[i] as number,
      amountIn: run.amountIn,
      amountOut: run.amountOut,
      hops: hopsOf(run),
      gasUnits: gasUnitsOf(run),
    };
  });
  return {
    type: request.type,
    amountIn: request.type === "exactIn" ? request.amount : quote,
    amountOut: request.type === "exactIn" ? quote : request.amount,
    quote,
    legs,
    gasUnits,
    gasInQuote,
    quoteGasAdjusted,
    bestPath: ((single ?? settled).runs[0] as LegRun).path,
  };
}

function gasUnitsOf(run: LegRun): number {
  return legGasUnits(
    run.path.map(({ pool }) => pool.kind),
    ticksCrossedBy(run),
  );
}

/** Steps from tokenIn to tokenOut, whichever way the search walked. */
function pathOf(graph: Graph, edges: readonly number[], isForward: boolean): Step[] {
  const steps = edges.map((edge) => stepOfEdge(graph, edge));
  return isForward ? steps : steps.reverse();
}

interface Share {
  readonly leg: DraftLeg;
  readonly hundredths: number;
  /** Of {@link PARTS}. */
  readonly parts: number;
}

/** Shares that add up to the whole, in the order of the legs; legs too small to have a share are left out. */
function sharesOf(legs: readonly DraftLeg[]): Share[] {
  const sum = legs.reduce((total, leg) => total + leg.amount, 0);
  const shares = legs.map((leg, i) => {
    const exact = (leg.amount / sum) * WHOLE;
    return { i, leg, hundredths: Math.floor(exact), rest: exact - Math.floor(exact) };
  });
  const missing = WHOLE - shares.reduce((total, share) => total + share.hundredths, 0);
  return [...shares]
    .sort((a, b) => b.rest - a.rest)
    .map((share, rank) => ({ ...share, hundredths: share.hundredths + (rank < missing ? 1 : 0) }))
    .filter(({ hundredths }) => hundredths > 0)
    .sort((a, b) => a.i - b.i)
    .map(({ leg, hundredths }) => ({ leg, hundredths, parts: Math.floor((leg.amount / sum) * PARTS) }));
}
