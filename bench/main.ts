// `npm run bench`: lists the benchmarks; `npm run bench -- <name> [options]` runs one, `-- all --smallest` all of them at their
// smallest sizes, `-- page` writes docs/benchmarks.md.
import { type Outcome, runAll, runInProcess } from "./all.ts";
import type { ListedBench } from "./bench.ts";
import { endOnSignal } from "./end-on-signal.ts";
import { installPostgraphile } from "./gateway/postgraphile-peer.ts";
import { startServer } from "./ground/workbench.ts";
import { chdbFolder } from "./lake/chdb.ts";
import { writePage } from "./page.ts";
import { installPeers } from "./router/peers.ts";
import { openSession } from "./session.ts";

/**
 * Benchmarks that take longest come first, those that wait for packages last. Each loads only its own code: together they import
 * nearly all of the product, Ponder, and every peer's client, which takes longer than some of them run at their smallest size.
 */
const benches: Readonly<Record<string, ListedBench>> = {
  scale: { load: () => import("./scale/run.ts") },
  index: { load: () => import("./index/run.ts") },
  "as-of": { load: () => import("./as-of/run.ts") },
  live: { load: () => import("./live/run.ts") },
  aggregator: { load: () => import("./aggregator/run.ts") },
  lookthrough: { load: () => import("./lookthrough/run.ts") },
  averages: { load: () => import("./averages/run.ts") },
  lake: { load: () => import("./lake/run.ts"), prepare: chdbFolder },
  gateway: { load: () => import("./gateway/run.ts"), prepare: installPostgraphile },
  router: { load: () => import("./router/run.ts"), prepare: installPeers },
};

const SMALLEST = "--smallest";
const USAGE = `npm run bench -- <name> [options]; --help shows the options, ${SMALLEST} takes seconds and checks all answers
npm run bench -- all ${SMALLEST}   every phase of all of them, as .ci/run does
npm run bench -- page             writes docs/benchmarks.md from what the last full runs recorded`;

async function runOne(name: string, { load, prepare }: ListedBench, typed: readonly string[]): Promise<void> {
  const isSmallest = typed.includes(SMALLEST);
  const args = typed.filter((argument) => argument !== SMALLEST);
  const databaseUrl = process.env.BENCH_DATABASE_URL;
  await prepare?.();
  const bench = await load();
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
    for (const [listed, { load }] of Object.entries(benches)) console.log(`${listed}  ${(await load()).summary}`);
    console.log(`\n${USAGE}`);
    return;
  }
  if (name === "all") return runEveryOne(args);
  if (name === "page") return writePage();
  const bench = benches[name];
  if (!bench) throw new Error(`there is no benchmark "${name}"; there are: ${Object.keys(benches).join(", ")}`);
  if (!args.includes("--help")) return runOne(name, bench, args);
  const { summary, usage } = await bench.load();
  console.log(`${summary}\n\n${usage}`);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
