// `npm run bench`: lists the benchmarks; `npm run bench -- <name> [options]` runs one, `-- all --smallest` all of them at their
// smallest sizes, `-- page` writes docs/benchmarks.md.
import * as aggregator from "./aggregator/run.ts";
import { type Outcome, runAll, runInProcess } from "./all.ts";
import * as asOf from "./as-of/run.ts";
import * as averages from "./averages/run.ts";
import type { Bench } from "./bench.ts";
import { endOnSignal } from "./end-on-signal.ts";
import * as gateway from "./gateway/run.ts";
import * as index from "./index/run.ts";
import { startServer } from "./index/workbench.ts";
import * as lake from "./lake/run.ts";
import * as live from "./live/run.ts";
import * as lookthrough from "./lookthrough/run.ts";
import { writePage } from "./page.ts";
import * as router from "./router/run.ts";
import * as scale from "./scale/run.ts";
import { openSession } from "./session.ts";

/** Benchmarks that take longest come first, those that wait for packages last. */
const benches: Readonly<Record<string, Bench>> = {
  scale,
  index,
  "as-of": asOf,
  live,
  aggregator,
  lookthrough,
  averages,
  lake,
  gateway,
  router,
};

const SMALLEST = "--smallest";
const USAGE = `npm run bench -- <name> [options]; --help shows the options, ${SMALLEST} takes seconds and checks all answers
npm run bench -- all ${SMALLEST}   every phase of all of them, as .ci/run does
npm run bench -- page             writes docs/benchmarks.md from what the last full runs recorded`;

async function runOne(name: string, bench: Bench, typed: readonly string[]): Promise<void> {
  const isSmallest = typed.includes(SMALLEST);
  const args = typed.filter((argument) => argument !== SMALLEST);
  const databaseUrl = process.env.BENCH_DATABASE_URL;
  await bench.prepare?.();
  await bench.run(
    isSmallest ? [...bench.smallest, ...args] : args,
    openSession({ bench: name, command: ["npm run bench --", name, ...typed].join(" "), isSmallest, databaseUrl }),
  );
}

async function runEveryOne(typed: readonly string[]): Promise<void> {
  if (!typed.includes(SMALLEST)) throw new Error(`all of them in full take hours, each alone: add ${SMALLEST}`);
  const server = await startServer(undefined, { isTemporary: true });
  const unwatch = endOnSignal(() => server.stop());
  try {
    const outcomes = await runAll(benches, { runOne: (name) => runInProcess(name, server.url), tell });
    const failed = outcomes.filter(({ failure }) => failure !== undefined).map(({ name }) => name);
    if (failed.length > 0) throw new Error(`failed at the smallest size: ${failed.join(", ")}`);
    console.log(`bench: all ${outcomes.length} are right at their smallest sizes`);
  } finally {
    unwatch();
    await server.stop();
  }
}

const tell = ({ name, seconds, failure }: Outcome): void =>
  console.log(`bench: ${name}: ${failure === undefined ? "right" : `FAILED, ${failure}`} (${seconds.toFixed(1)} s)`);

async function run([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined) {
    for (const [listed, { summary }] of Object.entries(benches)) console.log(`${listed}  ${summary}`);
    console.log(`\n${USAGE}`);
    return;
  }
  if (name === "all") return runEveryOne(args);
  if (name === "page") return writePage();
  const bench = benches[name];
  if (!bench) throw new Error(`there is no benchmark "${name}"; there are: ${Object.keys(benches).join(", ")}`);
  if (args.includes("--help")) console.log(`${bench.summary}\n\n${bench.usage}`);
  else await runOne(name, bench, args);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
