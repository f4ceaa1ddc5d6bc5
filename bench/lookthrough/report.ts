// The lines of the table, from what was measured.
import { count, type Line, median } from "../printed-lines.ts";
import type { Run, Way } from "./measure.ts";
import type { Case } from "./world.ts";

const names: Record<Exclude<Case, "wallets">, string> = {
  both: "half in a v2 pair, half in v3 token ids",
  pair: "all in a v2 pair",
  positions: "all in v3 token ids",
};
const ways: Record<Way, string> = {
  http: "GET /balances whole",
  operation: "in the operation",
  "http again": "GET … again",
};

type Statistic = (values: readonly number[]) => number;
const statistics: readonly [string, Statistic][] = [
  ["median", median],
  ["minimum", (values) => Math.min(...values)],
];

export function lines(runs: readonly Run[]): Line[] {
  const of = (one: Case, way: Way, statistic: Statistic) =>
    statistic(runs.filter((run) => run.one === one && run.way === way).map(({ ms }) => ms));
  const show = (ms: number) => `${count(ms)} ms`;
  return (Object.keys(names) as (keyof typeof names)[]).flatMap((one) =>
    (Object.keys(ways) as Way[]).flatMap((way) =>
      statistics.map(([name, statistic]) => {
        const [ours, peer] = [of(one, way, statistic), of("wallets", way, statistic)];
        const what = `${names[one]}: ${ways[way]}, ${name}`;
        return {
          what,
          ours: show(ours),
          peer: show(peer),
          ratio: ours / peer,
          // a bound only for LP holders: a token id of its own is work for each holder
          bound: one === "pair" && way !== "http again" ? "<= 3" : "",
        };
      }),
    ),
  );
}
