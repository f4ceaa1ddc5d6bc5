// `npm run bench -- all --smallest`: every phase of every benchmark at its smallest size, each benchmark in a process of its own,
// all on one database server. Timings assert nothing; a wrong answer does, and whatever cannot run.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../machine/project-root.ts";
import type { ListedBench } from "./bench.ts";

/** The number of processors of the machine on which everything is measured. */
const LANES = 2;
/** At the smallest size nothing takes this long, however busy the machine is: a benchmark that does, hangs. */
const LIMIT_MS = 1_200_000;

export interface Outcome {
  name: string;
  seconds: number;
  /** Why it failed; undefined when all of its answers were right. */
  failure: string | undefined;
}

/** @returns how it ended: its exit code, and all that it printed */
export type RunOne = (name: string) => Promise<{ code: number | null; output: string }>;

/** Runs all, in their order, two at a time; those that are compared with packages start once these are installed. */
export async function runAll(
  benches: Readonly<Record<string, Pick<ListedBench, "prepare">>>,
  { runOne, tell }: { runOne: RunOne; tell: (outcome: Outcome) => void },
): Promise<Outcome[]> {
  const waiting = Object.keys(benches);
  const prepared = prepareInTurn(benches);
  const outcomes: Outcome[] = [];
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const started = performance.now();
      const failure = await failureOf(name, { ready: prepared.get(name), runOne });
      const outcome = { name, seconds: (performance.now() - started) / 1_000, failure };
      outcomes.push(outcome);
      tell(outcome);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return outcomes;
}

async function failureOf(
  name: string,
  { ready, runOne }: { ready: Promise<unknown> | undefined; runOne: RunOne },
): Promise<string | undefined> {
  try {
    await ready;
    const { code, output } = await runOne(name);
    return code === 0 ? undefined : `ended with ${code ?? "a signal"}:\n${output.trimEnd()}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Installs one after the other, while benchmarks without packages run. */
function prepareInTurn(benches: Readonly<Record<string, Pick<ListedBench, "prepare">>>): Map<string, Promise<unknown>> {
  let last: Promise<unknown> = Promise.resolve();
  const prepared = new Map<string, Promise<unknown>>();
  for (const [name, { prepare }] of Object.entries(benches)) {
    if (!prepare) continue;
    const mine = last.then(() => prepare());
    // the benchmark that waits for it gets the failure
    last = mine.catch(() => {});
    prepared.set(name, mine);
    mine.catch(() => {});
  }
  return prepared;
}

/** `npm run bench -- <name> --smallest` on the server at `databaseUrl`. */
export function runInProcess(name: string, databaseUrl: string): ReturnType<RunOne> {
  const args = ["--disable-warning=ExperimentalWarning", join(projectRoot, "bench/main.ts"), name, "--smallest"];
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: { ...process.env, BENCH_DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => pieces.push(piece));
  // with a signal that it can handle, so that what it started ends with it
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  const limit = setTimeout(() => {
    pieces.push(`\nit was ended after ${LIMIT_MS / 1_000} s\n`);
    end();
    setTimeout(() => child.kill("SIGKILL"), 10_000).unref();
  }, LIMIT_MS);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(limit);
      process.off("exit", end);
      resolve({ code, output: pieces.join("") });
    });
  });
}
