// `npm run fuzz:http -- [--requests 20000] [--documents 2000] [--seed N] [--url http://127.0.0.1:4000]`: random questions to a
// running product. No 5xx but the documented ones, nothing longer than 5 s, every 400 names its parameter, every answer is as
// /openapi.json says. After a permitted 503 it asks again and counts it; one that stays is a problem. Exits 1 on any problem. `--key` is sent
// as X-API-Key, `--concurrency 8` says how many are under way at a time.
import { trialOptions } from "../../machine/command-line.ts";
import { requireProduct } from "../running-product.ts";
import { runFuzz } from "./run-fuzz.ts";
import type { Ask } from "./sample-values.ts";

const values = trialOptions({
  usage:
    "npm run fuzz:http -- [--requests 20000] [--documents 2000] [--concurrency 8] [--seed <number>] [--url http://127.0.0.1:4000] [--key <key>]",
  options: {
    requests: { type: "string", default: "20000" },
    documents: { type: "string", default: "2000" },
    concurrency: { type: "string", default: "8" },
    seed: { type: "string" },
    url: { type: "string", default: process.env.GATEWAY_URL || "http://127.0.0.1:4000" },
    key: { type: "string" },
  },
  numbers: ["requests", "documents", "concurrency", "seed"],
});

/** An answer that takes longer is reported as no answer at all. */
const PATIENCE_MS = 30_000;
const LONGEST_MS = 5_000;
/** How long permitted refusals are asked again, such as for a block that is not indexed yet. */
const REFUSED_MS = 20_000;
/** With fewer requests than this, a route may be left out by chance. */
const ENOUGH_REQUESTS = 5_000;

const url = values.url.replace(/\/$/, "");
await requireProduct(url);
const ask: Ask = ({ method, path, headers, body }) =>
  fetch(url + path, {
    method,
    headers: { ...headers, ...(values.key === undefined ? {} : { "x-api-key": values.key }) },
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(body === undefined ? {} : { body }),
  });

const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(seed)) throw new Error(`--seed: "${values.seed}" is not a whole number`);
console.log(`seed ${seed}`);
const started = Date.now();
const report = await runFuzz({
  ask,
  seed,
  requests: Number(values.requests),
  documents: Number(values.documents),
  concurrency: Number(values.concurrency),
  longestMs: LONGEST_MS,
  patienceMs: REFUSED_MS,
});
for (const line of tableOf(report.statuses)) console.log(line);
for (const [what, count] of [...report.refusals].sort()) console.log(`${what}: asked again ${count} times`);
for (const route of report.untried) console.log(`${route}: never asked`);
const shown = new Map(report.problems.map(({ question, problem }) => [problem.slice(0, 120), { question, problem }]));
for (const { question, problem } of shown.values()) console.log(`\n${question}\n  ${problem}`);
const seconds = (Date.now() - started) / 1_000;
console.log(
  `\n${report.requests} questions in ${seconds.toFixed(0)} s, ${report.problems.length} problems; the slowest took ${Math.round(report.slowestMs)} ms: ${report.slowest.slice(0, 300)}`,
);
const isWhole = report.untried.length === 0 || Number(values.requests) < ENOUGH_REQUESTS;
if (report.problems.length > 0 || !isWhole) process.exitCode = 1;

/** A line for each route: how many answers of each status. */
function tableOf(statuses: ReadonlyMap<string, number>): string[] {
  const byRoute = new Map<string, string[]>();
  for (const [key, count] of [...statuses].sort()) {
    const cut = key.lastIndexOf(" ");
    const route = key.slice(0, cut);
    byRoute.set(route, [...(byRoute.get(route) ?? []), `${key.slice(cut + 1)}: ${String(count).padEnd(5)}`]);
  }
  return [...byRoute].map(([route, counts]) => `${route.padEnd(38)} ${counts.join(" ")}`.trimEnd());
}
