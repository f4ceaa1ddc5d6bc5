// Asks statements drawn from a seed and judges the answers: nothing outside the lake may be shown, nothing written, nothing may
// fail except by a named limit, and questions with a known answer must have it.
import { setTimeout as sleep } from "node:timers/promises";
import { folderState, strayFiles } from "./folder-state.ts";
import { type FuzzStatement, type Ground, nextStatement, randomOf } from "./statements.ts";

export interface SqlReply {
  status: number;
  /** Undefined where the answer broke off. */
  text: string | undefined;
}

export interface SqlFuzzOptions extends Ground {
  seed: number;
  statements: number;
  concurrency: number;
  /** Ends the run after the statements under way; the report covers what was asked until then. */
  signal?: AbortSignal;
  /** `client`: one statement of each is under way at a time. */
  ask(query: string, client: number): Promise<SqlReply>;
  /** Resident megabytes of the SQL process; undefined while there is none. */
  memory(): Promise<number | undefined>;
  mostMegabytes: number;
  /** Texts that must never be in an answer. */
  secrets: readonly string[];
}

export interface SqlFuzzReport {
  statements: number;
  /** `kind status code` → how many. */
  outcomes: Map<string, number>;
  problems: { query: string; problem: string }[];
  peakMegabytes: number;
  /** 503s because the process had ended; then it was asked again until it was back. */
  away: number;
  longestAwayMs: number;
  slowestMs: number;
}

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 30_000;

export async function runSqlFuzz(options: SqlFuzzOptions): Promise<SqlFuzzReport> {
  const { seed, statements, concurrency } = options;
  const random = randomOf(seed);
  const report: SqlFuzzReport = {
    statements: 0,
    outcomes: new Map(),
    problems: [],
    peakMegabytes: 0,
    away: 0,
    longestAwayMs: 0,
    slowestMs: 0,
  };
  const answers = await knownAnswers(options);
  const before = await folderState(options.canaryFolder);
  let isRunning = true;
  const watching = watchMemory(options, report, () => isRunning);
  let left = statements;
  const work = async (client: number) => {
    while (left > 0 && options.signal?.aborted !== true) {
      left -= 1;
      report.statements += 1;
      await judge(options, report, { statement: nextStatement(random, options), client, answers });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, client) => work(client)));
  isRunning = false;
  await watching;
  if ((await folderState(options.canaryFolder)) !== before)
    report.problems.push({ query: options.canaryFolder, problem: "the folder has changed" });
  for (const file of await strayFiles(options.lakeFolder))
    report.problems.push({ query: file, problem: "the lake's manifest lacks it or has another hash" });
  if (report.peakMegabytes > options.mostMegabytes)
    report.problems.push({ query: "all", problem: `${report.peakMegabytes} MB, more than ${options.mostMegabytes}` });
  return report;
}

async function knownAnswers({ known, ask }: SqlFuzzOptions): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const query of known) {
    const { status, text } = await ask(query, 0);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    answers.set(query, rowsOf(text));
  }
  return answers;
}

/** Without the head, which moves. */
const rowsOf = (text: string | undefined): string => text?.slice(text.indexOf('"rows":')) ?? "";

async function watchMemory(options: SqlFuzzOptions, report: SqlFuzzReport, isRunning: () => boolean): Promise<void> {
  while (isRunning()) {
    report.peakMegabytes = Math.max(report.peakMegabytes, (await options.memory()) ?? 0);
    await sleep(LOOK_EVERY_MS);
  }
}

interface Judged {
  statement: FuzzStatement;
  client: number;
  answers: ReadonlyMap<string, string>;
}

async function judge(
  options: SqlFuzzOptions,
  report: SqlFuzzReport,
  { statement, client, answers }: Judged,
): Promise<void> {
  const { query, kind, isKnown } = statement;
  const started = performance.now();
  const { status, text } = await options.ask(query, client);
  const ms = performance.now() - started;
  report.slowestMs = Math.max(report.slowestMs, ms);
  const code = codeOf(status, text);
  const key = `${kind} ${status} ${code}`;
  report.outcomes.set(key, (report.outcomes.get(key) ?? 0) + 1);
  const problem = (what: string) => report.problems.push({ query: query.slice(0, 500), problem: what });
  for (const secret of options.secrets) if (text?.includes(secret)) problem(`shows ${secret}`);
  if (status >= 500 && !(status === 503 && code === "SQL_UNAVAILABLE")) problem(`${status} ${text?.slice(0, 200)}`);
  if (status === 503) return comeBack(options, report, { statement, client, answers });
  if (status === 400 && !/^(?:SQL_INVALID|SQL_LIMIT|INVALID_INPUT)$/.test(code)) problem(`400 ${code}`);
  if (isKnown && (status !== 200 || rowsOf(text) !== answers.get(query))) problem(`${status} ${text?.slice(0, 300)}`);
}

function codeOf(status: number, text: string | undefined): string {
  if (text === undefined) return "broken off";
  return status === 200 ? "" : (/"code":"(\w+)"/.exec(text)?.[1] ?? "");
}

/** The process is started again: within half a minute a known question is answered. */
async function comeBack(options: SqlFuzzOptions, report: SqlFuzzReport, { client }: Judged): Promise<void> {
  report.away += 1;
  const since = performance.now();
  for (;;) {
    const { status } = await options.ask("select 1", client);
    const ms = performance.now() - since;
    if (status === 200) {
      report.longestAwayMs = Math.max(report.longestAwayMs, ms);
      return;
    }
    if (ms > PATIENCE_MS) {
      report.problems.push({ query: "select 1", problem: `nothing is answered for ${Math.round(ms)} ms` });
      return;
    }
    await sleep(100);
  }
}
