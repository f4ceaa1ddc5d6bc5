// `npm run bench -- router`: whole quotes against other routers in memory, single pools against v3-sdk, small worlds against
// their optimum.
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { claimsOfFigures } from "../claim.ts";
import { wholeNumber } from "../number-options.ts";
import type { Session } from "../session.ts";
import { installPeers } from "./peers.ts";
import { type Figure, routeFigures, singleFigures, smallFigures, tableOf } from "./report.ts";
import { measureSinglePools } from "./single-pools.ts";
import { type SmallCase, shareOf, smallCases } from "./small-worlds.ts";
import { contest } from "./whole-routes.ts";
import { makeWorld } from "./world.ts";
import { loadTask } from "./world-file.ts";

export const summary = "router quotes, against smart-order-router, tines and v3-sdk on the same pools in one process";

const options = {
  sizes: { type: "string", default: "50+20,300+100" },
  seed: { type: "string", default: "7" },
  queries: { type: "string", default: "20" },
  rounds: { type: "string", default: "5" },
  world: { type: "string" },
  phases: { type: "string", default: "routes,single,small" },
  cases: { type: "string", default: "200" },
  swaps: { type: "string", default: "400" },
  verbose: { type: "boolean", default: false },
} as const;

export const usage = `npm run bench -- router [options]
  --sizes 50+20,300+100   v3 pools + v2 pairs of each world
  --seed 7                of worlds and queries
  --queries 20            for each world
  --rounds 5              measured quotes of each query
  --world FILE            a module that exports makeWorld and queries, in place of our own world
  --phases routes,single,small
  --swaps 400             of single pools
  --cases 200             small worlds, each against its optimum
  --verbose               a line for every query

Installs the peers into .tidemark/bench when they are not there (140 MB).`;

export const smallest = ["--sizes", "8+4", "--queries", "2", "--rounds", "1", "--cases", "5", "--swaps", "40"];

export const prepare = installPeers;

/** Prints the tables and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  const seed = wholeNumber("seed", values.seed);
  const phases = values.phases.split(",");
  console.log(`Node ${process.versions.node}; ${cpus().length} cores, ${cpus()[0]?.model ?? ""}; load ${load()}`);
  const measured: Record<string, unknown> = { settings: values };
  const add = (phase: string, figures: readonly Figure[], about = "") => {
    session.record(phase, claimsOfFigures(figures.map((figure) => ({ ...figure, what: `${about}${figure.what}` }))));
    console.log(`\n${tableOf(figures)}`);
  };
  if (phases.includes("routes")) {
    const peers = await installPeers();
    for (const size of values.sizes.split(",")) {
      const [v3, v2] = size.split("+").map((part) => wholeNumber("sizes", part)) as [number, number];
      const count = wholeNumber("queries", values.queries);
      const task = await loadTask({ v3, v2, seed }, { count, seed, file: values.world });
      const results = await contest(task, peers, wholeNumber("rounds", values.rounds));
      if (values.verbose) for (const result of results) console.log(JSON.stringify(result));
      console.log(`\n${size} pools, ${results.length} queries, load ${load()}`);
      add(`${size} of seed ${seed}`, routeFigures(results), `${size} pools: `);
      measured[size] = results;
    }
  }
  if (phases.includes("single")) {
    const single = await measureSinglePools(makeWorld({ v3: 50, v2: 0, seed }), wholeNumber("swaps", values.swaps));
    add("single pools", singleFigures(single));
    measured.single = single;
  }
  if (phases.includes("small")) {
    const cases = runSmall(wholeNumber("cases", values.cases), seed);
    add(`small worlds of seed ${seed}`, smallFigures(cases));
    measured.small = cases;
  }
  console.log(`\nall figures: ${session.keepFigures(measured)}`);
}

function runSmall(count: number, seed: number): SmallCase[] {
  const cases: SmallCase[] = [];
  for (const made of smallCases(count, seed)) {
    cases.push(made);
    if (shareOf(made) < 0.9999) console.log(JSON.stringify(made));
  }
  return cases;
}

const load = (): string => (loadavg()[0] ?? 0).toFixed(2);
