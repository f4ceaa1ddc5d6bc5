// `npm run fuzz:http -- [--requests 20000] [--documents 2000] [--seed N] [--url http://127.0.0.1:4000]`: random questions to a
// running product. No 5xx but the documented ones, nothing longer than 5 s, every 400 names its parameter, every answer is as
// /openapi.json says. Exits 1 on any problem. `--key` is sent as X-API-Key.
import { parseArgs } from "node:util";
import type { Ask } from "./known-values.ts";
import { runFuzz } from "./run-fuzz.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    documents: { type: "string", default: "2000" },
    concurrency: { type: "string", default: "8" },
    seed: { type: "string" },
    url: { type: "string", default: process.env.GATEWAY_URL ?? "http://127.0.0.1:4000" },
    key: { type: "string" },
  },
});

/** Longer than that is told as no answer at all. */
const PATIENCE_MS = 30_000;
const LONGEST_MS = 5_000;

const url = values.url.replace(/\/$/, "");
const ask: Ask = ({ method, path, headers, body }) =>
  fetch(url + path, {
    method,
    headers: { ...headers, ...(values.key === undefined ? {} : { "x-api-key": values.key }) },
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(body === undefined ? {} : { body }),
  });

const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
console.log(`seed ${seed}`);
const started = Date.now();
const report = await runFuzz({
  ask,
  seed,
  requests: Number(values.requests),
  documents: Number(values.documents),
  concurrency: Number(values.concurrency),
  longestMs: LONGEST_MS,
});
for (const [kind, count] of [...report.statuses].sort()) console.log(`${String(count).padStart(7)}  ${kind}`);
const shown = new Map(report.problems.map(({ question, problem }) => [problem.slice(0, 120), { question, problem }]));
for (const { question, problem } of shown.values()) console.log(`\n${question}\n  ${problem}`);
const seconds = (Date.now() - started) / 1_000;
console.log(
  `\n${report.asked} questions in ${seconds.toFixed(0)} s, ${report.problems.length} problems; the slowest took ${Math.round(report.slowestMs)} ms: ${report.slowest.slice(0, 300)}`,
);
if (report.problems.length > 0) process.exitCode = 1;
