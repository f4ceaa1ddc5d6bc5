// `npm run bench -- router`: whole quotes against other routers in memory, single pools against v3-sdk, small worlds against
// their optimum.

import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { claimsOfFigures } from "../claim.ts";
import { wholeNumber } from "../number-options.ts";
import { type Figure, tableOf } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { installPeers, type Peers } from "./peers.ts";
import { routeFigures, singleFigures, smallFigures } from "./report.ts";
import { measureSinglePools } from "./single-pools.ts";
import { type SmallCase, shareOf, smallCases } from "./small-worlds.ts";
import { contest, type QueryResult, warmUp } from "./whole-routes.ts";
import { makeWorld } from "./world.ts";
import { loadTask } from "./world-file.ts";

export const summary = "router quotes, against smart-order-router, tines and v3-sdk on the same pools in one process";

const options = {
  sizes: { type: "string", default: "50+20,300+100,3000+1000" },
  seeds: { type: "string", default: "7" },
  queries: { type: "string", default: "20" },
  rounds: { type: "string", default: "5" },
  world: { type: "string" },
  phases: { type: "string", default: "routes,single,small" },
  cases: { type: "string", default: "200" },
  swaps: { type: "string", default: "400" },
  verbose: { type: "boolean", default: false },
} as const;

export const usage = `npm run bench -- router [options]
  --sizes 50+20,300+100,3000+1000   v3 pools + v2 pairs of each world
  --seeds 7               of worlds and queries; 1-20 for all of them
  --queries 20            for each world
  --rounds 5              measured quotes of each query
  --world FILE            a module that exports makeWorld and queries, in place of our own world
  --phases routes,single,small
  --swaps 400             of single pools
  --cases 200             small worlds, each against its optimum
  --verbose               a line for every query

Installs the peers into .tidemark/bench when they are not there (140 MB). Ends with 1 when an answer is wrong, never for a figure.`;

export const smallest = ["--sizes", "8+4", "--queries", "2", "--rounds", "1", "--cases", "5", "--swaps", "40"];

/** Prints the tables and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  const seeds = seedsOf(values.seeds);
  const phases = values.phases.split(",");
  console.log(`Node ${process.versions.node}; ${cpus().length} cores, ${cpus()[0]?.model ?? ""}; load ${load()}`);
  const measured: Record<string, unknown> = { settings: values };
  const add = (phase: string, figures: readonly Figure[], about = "") => {
    session.record(phase, claimsOfFigures(figures.map((figure) => ({ ...figure, what: `${about}${figure.what}` }))));
    console.log(`\n${tableOf(figures)}`);
  };
  if (phases.includes("routes")) {
    const peers = await installPeers();
    await warmUp(peers);
    for (const size of values.sizes.split(",")) {
      const results = await runSize(size, { values, seeds, peers });
      const [v3, v2] = sizeOf(size);
      console.log(`\n${size} pools, ${results.length} questions of ${seeds.length} worlds, load ${load()}`);
      add(`${size} of seeds ${values.seeds}`, routeFigures(results, v3 + v2), `${size} pools: `);
      measured[size] = results;
    }
  }
  if (phases.includes("single")) {
    const world = makeWorld({ v3: 50, v2: 0, seed: seeds[0] as number });
    const single = await measureSinglePools(world, wholeNumber("swaps", values.swaps));
    add("single pools", singleFigures(single));
    measured.single = single;
  }
  if (phases.includes("small")) {
    const cases = runSmall(wholeNumber("cases", values.cases), seeds);
    add(`small worlds of seeds ${values.seeds}`, smallFigures(cases));
    measured.small = cases;
  }
  console.log(`\nall figures: ${session.keepFigures(measured)}`);
}

/** `7`, or the first and the last of a range: `1-20`. */
function seedsOf(text: string): number[] {
  const [first, last] = text.split("-").map((part) => wholeNumber("seeds", part)) as [number, number?];
  const count = (last ?? first) - first + 1;
  if (count < 1) throw new Error(`--seeds: "${text}" ends before it begins; write the smaller seed first`);
  return Array.from({ length: count }, (_, i) => first + i);
}

const sizeOf = (size: string) => size.split("+").map((part) => wholeNumber("sizes", part)) as [number, number];

interface Round {
  values: { queries: string; rounds: string; world?: string | undefined; verbose: boolean };
  seeds: readonly number[];
  peers: Peers;
}

async function runSize(size: string, { values, seeds, peers }: Round): Promise<QueryResult[]> {
  const [v3, v2] = sizeOf(size);
  const count = wholeNumber("queries", values.queries);
  const results: QueryResult[] = [];
  for (const seed of seeds) {
    const task = await loadTask({ v3, v2, seed }, { count, seed, file: values.world });
    for (const result of await contest(task, peers, wholeNumber("rounds", values.rounds))) {
      if (values.verbose) console.log(JSON.stringify({ seed, ...result }));
      if (result.wrong !== undefined) {
        console.error(`seed ${seed}, ${size} pools, ${result.pair} for $${result.usd}: ${result.wrong}`);
        process.exitCode = 1;
      }
      results.push({ seed, ...result });
    }
  }
  return results;
}

function runSmall(count: number, seeds: readonly number[]): SmallCase[] {
  const cases: SmallCase[] = [];
  for (const seed of seeds) {
    for (const made of smallCases(count, seed)) {
      cases.push(made);
      if (shareOf(made) < 0.9999) console.log(JSON.stringify({ seed, ...made }));
    }
  }
  return cases;
}

const load = (): string => (loadavg()[0] ?? 0).toFixed(2);
