// `npm run bench -- router`: whole quotes against other routers in memory, single pools against v3-sdk, small worlds against
// their optimum.
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { keepFigures } from "../keep-figures.ts";
import { wholeNumber } from "../number-options.ts";
import { installPeers, type Peers } from "./peers.ts";
import { routeFigures, singleFigures, smallFigures, tableOf } from "./report.ts";
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
  peers: { type: "string" },
  small: { type: "boolean", default: false },
  cases: { type: "string", default: "200" },
  verbose: { type: "boolean", default: false },
} as const;

export const usage = `npm run bench -- router [options]
  --sizes 50+20,300+100,3000+1000   v3 pools + v2 pairs of each world
  --seeds 7               of worlds and queries; 1-20 for all of them
  --queries 20            for each world
  --rounds 5              measured quotes of each query
  --world FILE            a module that exports makeWorld and queries, in place of our own world
  --peers FOLDER          where the peers are or are to be installed; a temporary folder by default
  --small                 only small worlds, each against its optimum
  --cases 200             small worlds
  --verbose               a line for every query`;

/**
 * Prints the tables and keeps every figure in `.tidemark/bench/router.json`. Ends with 1 when an answer is wrong, never for a
 * figure.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  const seeds = seedsOf(values.seeds);
  console.log(`Node ${process.versions.node}; ${cpus().length} cores, ${cpus()[0]?.model ?? ""}; load ${load()}`);
  const measured: Record<string, unknown> = { settings: values };
  if (values.small) {
    measured.small = runSmall(wholeNumber("cases", values.cases), seeds);
  } else {
    const peers = installPeers(values.peers);
    await warmUp(peers);
    for (const size of values.sizes.split(",")) measured[size] = await runSize(size, { values, seeds, peers });
    const single = await measureSinglePools(makeWorld({ v3: 50, v2: 0, seed: seeds[0] as number }), 400);
    console.log(`\n${tableOf(singleFigures(single))}`);
    measured.single = single;
  }
  console.log(`\nall figures: ${keepFigures("router", measured)}`);
}

/** `7`, or the first and the last of a row: `1-20`. */
function seedsOf(text: string): number[] {
  const [first, last] = text.split("-").map((part) => wholeNumber("seeds", part)) as [number, number?];
  const count = (last ?? first) - first + 1;
  if (count < 1) throw new Error(`--seeds: "${text}" ends before it begins; write the smaller seed first`);
  return Array.from({ length: count }, (_, i) => first + i);
}

interface Round {
  values: { queries: string; rounds: string; world?: string | undefined; verbose: boolean };
  seeds: readonly number[];
  peers: Peers;
}

async function runSize(size: string, { values, seeds, peers }: Round): Promise<QueryResult[]> {
  const [v3, v2] = size.split("+").map((part) => wholeNumber("sizes", part)) as [number, number];
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
  console.log(`\n${size} pools, ${results.length} questions of ${seeds.length} worlds, load ${load()}\n`);
  console.log(tableOf(routeFigures(results, v3 + v2)));
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
  console.log(`\n${tableOf(smallFigures(cases))}`);
  return cases;
}

const load = (): string => (loadavg()[0] ?? 0).toFixed(2);
