// A copy of the seeded index that is pruned, its lake, and every public question asked of a gateway on it, as bytes.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import postgres, { type Sql } from "postgres";
import { undelayed } from "../../database/undelayed.ts";
import { quoted } from "../../fold/tables.ts";
import { openDatabase } from "../../gateway/database/database.ts";
import { LakeHistory } from "../../gateway/lake/lake-history.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import { HistoryLoader } from "../../lake/pruned/load-history.ts";
import { prunable } from "../../lake/pruned/pruned-blocks.ts";
import { seededExamples } from "./examples.ts";
import { loneCases, type ParityWorld, sharedCases } from "./parity-cases.ts";
import { type SeededLake, seeded, seededChain, seededLake } from "./seeded-index.ts";

const root = new URL("../..", import.meta.url).pathname;
const s = quoted(seeded.foldSchema);
const PATIENCE_MS = 60_000;

export type Answers = ReadonlyMap<string, string>;

export interface OpenGateway {
  /** What every question gives at a block: status and text, by name. */
  ask(block: number): Promise<Answers>;
  get(path: string): Promise<{ status: number; text: string; headers: Headers }>;
  close(): Promise<void>;
}

export interface Ended {
  code: number | null;
  output: string;
}

export interface PrunedGround {
  db: Sql;
  /** A copy, which may be damaged. */
  lake: SeededLake;
  world: Omit<ParityWorld, "block">;
  /** A gateway; `loadUrl`: where it has history loaded. */
  open(url: string, loadUrl?: string): OpenGateway;
  loader(keep: { seconds: number; rows: number }): HistoryLoader;
  start(command: readonly string[], env?: Record<string, string>): ChildProcess;
  run(command: readonly string[]): Promise<Ended>;
  /** Number and digest of the intervals of every history that can be pruned. */
  digests(): Promise<string>;
  /** Intervals that ended by the block. */
  countEnded(block: number): Promise<number>;
  /** From now on every statement that deletes or inserts intervals takes this long. */
  slowDown(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Quotes of the newest block have times in them; the status is different on a pruned index. */
const isComparable = ({ question }: { question: string }): boolean => !["status", "quote"].includes(question);

const pathsAt = ({ token, island, account, block }: ParityWorld): string[] => [
  `/balances/${token}?blockNumber=${block}`,
  `/balances/${token}?blockNumber=${block}&format=csv`,
  `/balances/${island}?blockNumber=${block}`,
  `/balances/${token}/at-blocks?blocks=${[...new Set([1, Math.floor(block / 2), block])].join(",")}`,
  `/balances/${token}/history?account=${account}&fromBlock=0&toBlock=${seeded.head}`,
  `/balances/${token}/time-weighted?fromBlock=${Math.floor(block / 3)}&toBlock=${block}`,
];

interface Sent {
  name: string;
  path: string;
  posted?: unknown;
}

const overRest = (question: string, path: string, posted?: unknown): Sent => ({
  ...{ name: `${question} over REST`, path, posted },
});
const inGraphql = (question: string, fields: string): Sent => ({
  ...{ name: `${question} in GraphQL`, path: "/graphql", posted: { query: `{ ${fields} }` } },
});

const requestsAt = (here: ParityWorld): Sent[] => [
  ...sharedCases
    .filter(isComparable)
    .flatMap((one) => [
      overRest(one.question, one.rest(here), one.restBody?.(here)),
      inGraphql(one.question, one.graphql(here)),
    ]),
  ...loneCases
    .filter(isComparable)
    .map((one) =>
      "rest" in one ? overRest(one.question, one.rest(here)) : inGraphql(one.question, one.graphql(here)),
    ),
  ...pathsAt(here).map((path) => ({ name: path, path })),
];

/** What was traded in USD is worked out a little with each request, until all of it is. */
async function settleVolumes(ask: () => Promise<string>): Promise<void> {
  for (let [before, now] = ["", await ask()]; before !== now; ) [before, now] = [now, await ask()];
}

export async function startPrunedGround(): Promise<PrunedGround> {
  const chain = seededChain();
  const db = postgres(seeded.prunedUrl, { max: 2, ...undelayed(), onnotice: () => {} });
  const loaderDb = postgres(seeded.prunedUrl, { max: 1, ...undelayed(), onnotice: () => {} });
  const lakes = mkdtempSync(join(tmpdir(), "tidemark-pruned-lake-"));
  cpSync(seeded.lake, lakes, { recursive: true });
  const lake = await seededLake(lakes);
  const world = { ...(await seededExamples()), chainId: chain.chainId, router: chain.ownRouterName };
  const environment = { CHAIN: seeded.chainFile, DATABASE_URL: seeded.prunedUrl, LAKE: lakes };
  const start: PrunedGround["start"] = (command, env = {}) =>
    spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...command], {
      cwd: root,
      env: { ...process.env, ...environment, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    ...{ db, lake, world, start },
    loader: (keep) => new HistoryLoader({ db: loaderDb, chainId: chain.chainId, lake: lakes, keep, say: () => {} }),
    open(url, loadUrl) {
      const database = openDatabase(url);
      const past = loadUrl === undefined ? {} : { past: new LakeHistory(new Map([[chain.chainId, loadUrl]])) };
      const app = createApp(openService({ chains: [chain], database, ...past }), pino({ level: "silent" }));
      const sentOnce = async (path: string, posted?: unknown) => {
        const body = JSON.stringify(posted);
        const init =
          posted === undefined ? {} : { method: "POST", body, headers: { "content-type": "application/json" } };
        const response = await app.request(path, init);
        return { status: response.status, text: await response.text() };
      };
      /** As often as it says that history is on its way. */
      const sent = async (path: string, posted?: unknown): Promise<string> => {
        for (const deadline = Date.now() + PATIENCE_MS; ; ) {
          const { status, text } = await sentOnce(path, posted);
          if (!text.includes("HISTORY_LOADING") || Date.now() > deadline) return `${status} ${text}`;
        }
      };
      return {
        async ask(block) {
          const here = { ...world, block };
          await settleVolumes(() => sent(`/launch/${world.chainId}/tokens?limit=100`));
          const answers = new Map<string, string>();
          for (const { name, path, posted } of requestsAt(here)) answers.set(name, await sent(path, posted));
          return answers;
        },
        async get(path) {
          const response = await app.request(path);
          return { status: response.status, text: await response.text(), headers: response.headers };
        },
        close: () => database.close(),
      };
    },
    async run(command) {
      const child = start(command);
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (output += String(data)));
      const [code] = await once(child, "close");
      return { code: code as number | null, output };
    },
    async digests() {
      const lines: string[] = [];
      for (const { history } of prunable) {
        const [row] = await db.unsafe(
          `select count(*)::int as rows, md5(coalesce(string_agg(md5(i::text), '' order by md5(i::text)), '')) as digest
             from ${s}.${history.name}_interval i`,
        );
        lines.push(`${history.name} ${row?.rows} ${row?.digest}`);
      }
      return lines.join("\n");
    },
    async countEnded(block) {
      const counts = prunable.map(
        ({ history }) => `select count(*) as n from ${s}.${history.name}_interval where to_block <= ${block}`,
      );
      const [row] = await db.unsafe(`select sum(n)::int as n from (${counts.join(" union all ")}) c`);
      return Number(row?.n);
    },
    async slowDown(seconds) {
      await db.unsafe(`create or replace function slow_down() returns trigger language plpgsql as
        $$ begin perform pg_sleep(${seconds}); return null; end $$`);
      for (const { history } of prunable) {
        const table = `${s}.${history.name}_interval`;
        await db.unsafe(`drop trigger if exists slow on ${table}`);
        if (seconds > 0)
          await db.unsafe(
            `create trigger slow before delete or insert on ${table} for each statement execute function slow_down()`,
          );
      }
    },
    async close() {
      rmSync(lakes, { recursive: true, force: true });
      await Promise.all([db.end({ timeout: 2 }), loaderDb.end({ timeout: 2 })]);
    },
  };
}
