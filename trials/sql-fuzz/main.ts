// `npm run fuzz:sql -- [--statements 20000] [--seed N] [--concurrency 4]`: hostile statements to a running `npm start` with LAKE and
// SQL=on, over HTTP; and how long GET /balances takes beside them compared with alone. Ctrl-C ends it with its report. Exits 1 on any problem.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { trialOptions } from "../../machine/command-line.ts";
import { readPublishedRun } from "../../machine/published-run.ts";
import { askBalances, percentile } from "./balances-beside.ts";
import { runSqlFuzz, type SqlReply } from "./run-sql-fuzz.ts";

const values = trialOptions({
  usage:
    "npm run fuzz:sql -- [--statements 20000] [--seed <number>] [--concurrency 1] [--alone-seconds 20] [--key <key>]",
  options: {
    statements: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    concurrency: { type: "string", default: "1" },
    key: { type: "string" },
    "alone-seconds": { type: "string", default: "20" },
  },
  numbers: ["statements", "seed", "concurrency", "alone-seconds"],
});

const dataDir = process.env.TIDEMARK_DATA || ".tidemark";
const { gatewayUrl, lake, databaseUrl } = readPublishedRun(dataDir) ?? {};
if (gatewayUrl === undefined || lake === undefined || databaseUrl === undefined) {
  console.error("run `LAKE=<folder> SQL=on npm start` first");
  process.exit(2);
}
const status = (await (await fetch(`${gatewayUrl}/status`)).json()) as { chainId: number; lastSyncedBlock: number };

/** DuckDB's limit, what the process has besides, and how far it may go beyond before that is noticed. */
const MOST_MEGABYTES = Number(process.env.SQL_MEMORY_MB || 1_024) + 512 + 512 + 256;

function memory(): Promise<number | undefined> {
  try {
    const pid = readPublishedRun(dataDir)?.children.sql?.pid;
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Promise.resolve(resident === undefined ? undefined : Number(resident) / 1024);
  } catch {
    return Promise.resolve(undefined);
  }
}

const headers = { "content-type": "text/sql", ...(values.key === undefined ? {} : { "x-api-key": values.key }) };

async function ask(query: string): Promise<SqlReply> {
  const response = await fetch(`${gatewayUrl}/sql`, { method: "POST", headers, body: query });
  return { status: response.status, text: await response.text().catch(() => undefined) };
}

async function tokenAddresses(): Promise<string[]> {
  const response = await fetch(`${gatewayUrl}/graphql`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ query: "{ tokens(first: 100) { nodes { address } } }" }),
  });
  const answer = z.object({
    data: z.object({ tokens: z.object({ nodes: z.array(z.object({ address: z.string() })) }) }),
  });
  return answer.parse(await response.json()).data.tokens.nodes.map(({ address }) => address);
}

const canaryFolder = mkdtempSync(join(tmpdir(), "tidemark-canary-"));
const secret = `canary-${Math.random().toString(36).slice(2)}`;
writeFileSync(join(canaryFolder, "secret.csv"), `${secret}\n`);
const seed = Number(values.seed);
console.log(`seed ${seed}`);
const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort());
try {
  const tokens = await tokenAddresses();
  const block = status.lastSyncedBlock - 100;
  const question = { gatewayUrl, tokens, block, headers };
  const seconds = Number(values["alone-seconds"]);
  const alone = await askBalances(question, () => performance.now(), seconds * 1_000);
  let isRunning = true;
  const beside = askBalances(question, () => (isRunning ? 0 : Number.POSITIVE_INFINITY), 1);
  const report = await runSqlFuzz({
    seed,
    statements: Number(values.statements),
    concurrency: Number(values.concurrency),
    ask,
    memory,
    signal: stopping.signal,
    canaryFolder,
    lakeFolder: join(lake, String(status.chainId)),
    mostMegabytes: MOST_MEGABYTES,
    secrets: [secret, "root:x:0:", new URL(databaseUrl).password || secret],
    known: [
      "select 6 * 7 as answer",
      `select count(*) as blocks from blocks where number <= ${block}`,
      `select sum(amount) as amount, count(*) as n from balances where from_block <= ${block} and (to_block is null or to_block > ${block})`,
      `select count(*) as transfers, min(block) as first from transfers where block <= ${block}`,
      ...tokens
        .slice(0, 5)
        .map((token) => `select count(*) as n, sum(amount) as amount from holders('${token}', ${block})`),
    ],
  });
  isRunning = false;
  const times = await beside;
  for (const [key, count] of [...report.outcomes].sort()) console.log(`${key.padEnd(36)} ${count}`);
  for (const { query, problem } of report.problems.slice(0, 20)) console.log(`\n${query}\n  ${problem}`);
  const [before, during] = [percentile(alone, 0.99), percentile(times, 0.99)];
  console.log(
    `\n${report.statements} statements, ${report.problems.length} problems; the process ended ${report.away} times, was away for at most ` +
      `${Math.round(report.longestAwayMs)} ms, and had at most ${Math.round(report.peakMegabytes)} MB; the slowest answer took ${Math.round(report.slowestMs)} ms`,
  );
  console.log(
    `GET /balances: p99 ${before.toFixed(1)} ms alone (${alone.length} answers), ${during.toFixed(1)} ms beside (${times.length}): ` +
      `${(during / before).toFixed(2)} times`,
  );
  if (report.problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(canaryFolder, { recursive: true, force: true });
}
