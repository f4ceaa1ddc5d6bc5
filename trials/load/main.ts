// `npm run load -- [--url http://127.0.0.1:4000] [--rate 300] [--minutes 10] [--seed S] [--key K] [--pages]`: a fixed mix of
// questions, or of the explorer's pages, at a steady rate to a running product, over real connections. Requests come at random
// times, independent of each other and of the answers; times count from when a request was due. Prints counts, errors and times
// of each question, and the gateway's memory; a minute at up to 100 per second is run first, to warm up. `--find-rate` instead
// looks for the highest rate that is borne, with runs of `--trial` seconds. Exits 1 when p99 is not below 250 ms, a request
// fails, or memory grows by 1 MB a minute; for pages when p95 is above 300 ms, a page fails, a link leads nowhere, or a first
// view is too large.
import { trialOptions } from "../../machine/command-line.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";
import type { Ask } from "../fuzz/sample-values.ts";
import { requireProduct } from "../running-product.ts";
import { findRate } from "./find-rate.ts";
import { learnWorld } from "./learn.ts";
import { learnPages } from "./learn-pages.ts";
import { type MemorySample, watchMemory } from "./memory.ts";
import { type Question, questionsOf } from "./mix.ts";
import { pageQuestions } from "./page-mix.ts";
import { pageVerdicts, printPages } from "./page-report.ts";
import { openPageReader } from "./read-page.ts";
import { isBorne, printMemory, printResult, verdicts } from "./report.ts";
import { type LoadResult, runLoad } from "./run-load.ts";
import { openSender, type Sender } from "./send.ts";

const values = trialOptions({
  usage:
    "npm run load -- [--rate 300] [--minutes 10] [--pages] [--only <part of a question's name>] [--find-rate [--trial 20]] [--seed <text>] [--connections 256] [--url http://127.0.0.1:4000] [--key <key>]",
  options: {
    url: { type: "string", default: process.env.GATEWAY_URL || "http://127.0.0.1:4000" },
    rate: { type: "string", default: "300" },
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    key: { type: "string" },
    connections: { type: "string", default: "256" },
    only: { type: "string" },
    pages: { type: "boolean", default: false },
    "find-rate": { type: "boolean", default: false },
    trial: { type: "string", default: "20" },
  },
  numbers: ["rate", "minutes", "connections", "trial"],
});

const WARM_UP = { seconds: 60, mostPerSecond: 100 };

const url = values.url.replace(/\/$/, "");
await requireProduct(url);
const keyHeader = values.key === undefined ? {} : { "x-api-key": values.key };
const ask: Ask = ({ method, path, headers, body }) =>
  fetch(url + path, { method, headers: { ...headers, ...keyHeader }, ...(body === undefined ? {} : { body }) });
const readMetrics = async () => (await ask({ method: "GET", path: "/metrics", headers: {} })).text();

const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort());

/** What is asked, and which limits a run has broken. */
interface Load {
  questions: Question[];
  problems(result: LoadResult, samples: readonly MemorySample[]): string[];
}

async function loadOfQuestions(): Promise<Load> {
  const world = await learnWorld(ask);
  console.log(
    `seed ${values.seed}; ${world.tokens.length} tokens, ${world.swaps.length} swaps, ${world.positions.length} positions, ${world.vaults.length} vaults, ${world.launches.length} launches; blocks ${world.firstBlock} to ${world.lastBlock}`,
  );
  return {
    questions: questionsOf(world),
    problems: ({ tally }, samples) => verdicts(tally.all("all"), samples),
  };
}

async function loadOfPages(): Promise<Load> {
  const world = await learnPages(openPageReader(url, keyHeader), ask);
  console.log(`seed ${values.seed}`);
  printPages(world);
  return { questions: pageQuestions(world), problems: ({ tally }) => pageVerdicts(tally.all("all"), world) };
}

const { only } = values;
const { questions: all, problems: problemsOf } = await (values.pages ? loadOfPages() : loadOfQuestions());
const questions = all.filter(({ name }) => only === undefined || name.includes(only));
if (questions.length === 0) throw new Error(`--only ${only}: there is no such question`);

const opened = openSender(url, { connections: Number(values.connections), key: values.key });
/** Samples of pages begin with their path, which says most. */
const byPath: Sender = {
  ...opened,
  send: (request) => opened.send(request).then((sent) => ({ ...sent, start: request.path })),
};
const sender = values.pages ? byPath : opened;
const random = seededRandom(values.seed);
const run = (rate: number, seconds: number): Promise<LoadResult> =>
  runLoad({ sender, questions, rate, seconds, random, stopping: stopping.signal });

async function searchRate(): Promise<void> {
  const borne = await findRate(
    async (rate) => {
      const { tally, answeredPerSecond } = await run(rate, Number(values.trial));
      const all = tally.all("all");
      console.log(
        `${String(rate).padStart(6)} per second: p50 ${all.p50.toFixed(0)} ms, p99 ${all.p99.toFixed(0)} ms, ${all.failures} failed, ${answeredPerSecond.toFixed(0)} answered per second`,
      );
      return !stopping.signal.aborted && isBorne(all);
    },
    { first: Number(values.rate) },
  );
  console.log(`the highest rate that is borne: ${borne} per second`);
}

async function load(): Promise<void> {
  const samples: MemorySample[] = [];
  const ended = new AbortController();
  const watching = watchMemory(readMetrics, samples, ended.signal);
  const result = await run(Number(values.rate), Number(values.minutes) * 60);
  ended.abort();
  await watching;
  printResult(result, questions);
  printMemory(samples);
  const problems = problemsOf(result, samples);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}

// before anything counts, code is compiled, connections are made, and popular old blocks have been asked about
await run(Math.min(Number(values.rate), WARM_UP.mostPerSecond), WARM_UP.seconds);
await (values["find-rate"] ? searchRate() : load());
sender.close();
