// What a run prints: figures with their bounds.
import { type Figure, percentile } from "../printed-lines.ts";
import type { SingleResult } from "./single-pools.ts";
import { type SmallCase, shareOf } from "./small-worlds.ts";
import type { QueryResult } from "./whole-routes.ts";

const ms = (value: number): string => `${value.toFixed(2)} ms`;
const times = (value: number): string => `${value.toFixed(1)}x`;
const bps = (value: number): string => `${value.toFixed(3)} bp`;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const unbounded = (what: string, value: string): Figure => ({ what, value, bound: "", isMet: undefined });

function least(
  what: string,
  value: number,
  { bound, show }: { bound: number; show: (value: number) => string },
): Figure {
  return { what, value: show(value), bound: `>= ${show(bound)}`, isMet: value >= bound };
}

/** In basis points of theirs, over the queries that both answered. */
function differences(
  results: readonly QueryResult[],
  pick: (result: QueryResult) => [ours: number | undefined, theirs: number | undefined],
): number[] {
  return results.flatMap((result) => {
    const [ours, theirs] = pick(result);
    // gas can use up a small trade: then the difference has no meaning as a share
    return ours === undefined || theirs === undefined || theirs <= 0 ? [] : [(ours / theirs - 1) * 1e4];
  });
}

/** Bounds of the 99th percentile by number of pools, in milliseconds; a world in between has the bound of the next larger one. */
const slowest: readonly (readonly [pools: number, ms: number])[] = [
  [400, 10],
  [4_000, 40],
];

/** Figures of all questions of one size, over all seeds. */
export function routeFigures(results: readonly QueryResult[], pools: number): Figure[] {
  const ours = results.map((result) => result.ms.ours);
  const free = results.map((result) => result.ms.oursNoGas);
  const bound = slowest.find(([size]) => pools <= size)?.[1];
  const p99 = percentile(ours, 0.99);
  return [
    unbounded("quotes with gas: median / mean / max", timesOf(ours)),
    bound === undefined
      ? unbounded("quotes with gas: p99", ms(p99))
      : { what: "quotes with gas: p99", value: ms(p99), bound: `<= ${ms(bound)}`, isMet: p99 <= bound },
    unbounded("quotes without gas: median / mean / max", timesOf(free)),
    unbounded("first quote of a pair, tables not yet made: max", ms(Math.max(...results.map(({ coldMs }) => coldMs)))),
    ...sorFigures(results, ours),
    ...tinesFigures(results, ours),
  ];
}

const timesOf = (values: readonly number[]): string =>
  [percentile(values, 0.5), mean(values), Math.max(...values)].map(ms).join(" / ");

function sorFigures(results: readonly QueryResult[], ours: readonly number[]): Figure[] {
  const sor = results.flatMap((result) => result.ms.sor ?? []);
  if (sor.length === 0) return [];
  const answered = results.filter((result) => result.net.sor !== undefined).length;
  return [
    unbounded("smart-order-router: median / mean / max", timesOf(sor)),
    unbounded("smart-order-router: no route found", `${results.length - answered} of ${results.length}`),
    least("smart-order-router: median faster by", percentile(sor, 0.5) / percentile(ours, 0.5), {
      bound: 50,
      show: times,
    }),
    least("smart-order-router: mean faster by", mean(sor) / mean(ours), { bound: 50, show: times }),
    ...above(
      "net of gas, above smart-order-router",
      differences(results, ({ net }) => [net.ours, net.sor]),
    ),
  ];
}

function tinesFigures(results: readonly QueryResult[], ours: readonly number[]): Figure[] {
  const peer = results.flatMap((result) => result.ms.tines ?? []);
  if (peer.length === 0) return [];
  const gross = differences(results, (result) => [result.gross.ours, result.gross.tines]);
  return [
    unbounded("tines: median / mean / max", timesOf(peer)),
    least("tines: median faster by", percentile(peer, 0.5) / percentile(ours, 0.5), { bound: 2, show: times }),
    ...above(
      "net of gas, above tines",
      differences(results, ({ net }) => [net.ours, net.tines]),
    ),
    unbounded(
      "without gas, above tines: worst / median",
      [Math.min(...gross), percentile(gross, 0.5)].map(bps).join(" / "),
    ),
  ];
}

/** No question may lose more than one basis point, and most must gain. */
function above(what: string, found: readonly number[]): Figure[] {
  const lost = found.filter((each) => each < -1).length;
  return [
    least(`${what}: worst`, Math.min(...found), { bound: -1, show: bps }),
    unbounded(`${what}: more than 1 bp below`, `${lost} of ${found.length}`),
    least(`${what}: median`, percentile(found, 0.5), { bound: 0, show: bps }),
  ];
}

export function singleFigures({ swaps, ours, cold, sdk, loop }: SingleResult): Figure[] {
  const us = (value: number) => `${value.toFixed(2)} us`;
  return [
    unbounded(
      `one pool, ${swaps} swaps: ours / tables made anew / plain loop / v3-sdk`,
      [ours, cold, loop, sdk].map(us).join(" / "),
    ),
    least("one pool: faster than v3-sdk by", sdk / ours, { bound: 80, show: times }),
    least("one pool: faster than a plain loop by", loop / ours, { bound: 8, show: times }),
  ];
}

export function smallFigures(cases: readonly SmallCase[]): Figure[] {
  const shares = cases.map(shareOf);
  const near = shares.filter((share) => share >= 0.9999).length / cases.length;
  const percent = (value: number) => `${(value * 100).toFixed(4)} %`;
  const worst = cases.reduce((one, other) => (shareOf(other) < shareOf(one) ? other : one));
  return [
    least(`${cases.length} small worlds: at least 99.99 % of the optimum in`, near, { bound: 0.99, show: percent }),
    unbounded(
      `worst: world ${worst.number}, ${worst.pools} pools, ${worst.paths} paths, $${worst.usd}, ${worst.hasGas ? "with" : "without"} gas`,
      percent(shareOf(worst)),
    ),
  ];
}
