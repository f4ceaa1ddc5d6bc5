// The whole of `npm start`: database, devnet, Ponder, fold and gateway, until /ready, and then until the run ends.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { headOf } from "../chains/json-rpc.ts";
import { chainFolder } from "../core/lake/paths.ts";
import { readManifest } from "../lake/manifest.ts";
import { freePort, requireFreePort, requireListening } from "../machine/ports.ts";
import { projectRoot } from "../machine/project-root.ts";
import { besideOthers } from "./chain/beside-others.ts";
import { type RunningChain, startChain } from "./chain/served-chain.ts";
import type { LauncherEnvironment } from "./environment.ts";
import { openDatabase } from "./postgres/database.ts";
import type { Run } from "./process/run-record.ts";
import type { Shutdown } from "./process/shutdown.ts";
import { deathLine, supervise } from "./process/supervised-child.ts";
import { type DatabasePlace, gatewayEnvironment, type Programs, reachableHost, sqlEnvironment } from "./programs.ts";
import type { Surroundings } from "./surroundings.ts";
import { percentOf, readIndexProgress } from "./terminal/index-progress.ts";
import type { ProgressView } from "./terminal/progress-view.ts";
import { whyNotReady } from "./terminal/readiness.ts";

/** What is always started, in the order in which it is shown. */
export const PARTS = ["database", "devnet", "indexer", "fold", "gateway"] as const;

/** Blocks that are never final: the fold stays this far behind the head. */
const FINALITY_BLOCKS = 30;
const POLL_MS = 400;
const STALLED_MS = 300_000;

export interface LaunchOptions {
  environment: LauncherEnvironment;
  programs: Programs;
  shutdown: Shutdown;
  view: ProgressView;
  run: Run;
}

export interface Launch {
  /**
   * Resolves once the gateway answers for the head of every chain but those that are set aside; rejects when a part cannot be
   * brought up.
   */
  ready: Promise<{ gatewayUrl: string; chains: RunningChain[]; aside: ReadonlyMap<number, string> }>;
  /** Resolves to why the run cannot go on, if ever. */
  failed: Promise<string>;
}

/** Starts everything. Whatever starts is registered with `shutdown`. */
export function launch(options: LaunchOptions): Launch {
  let fail: (message: string) => void = () => {};
  const failed = new Promise<string>((resolve) => {
    fail = resolve;
  });
  return { ready: bringUp(options, fail), failed };
}

async function bringUp(options: LaunchOptions, fail: (message: string) => void) {
  const { programs, shutdown, view, run } = options;
  await refuseTakenPorts(options.environment);
  const startsDevnet = options.environment.chains.some(({ rpcUrl }) => rpcUrl === undefined);
  const environment = {
    ...options.environment,
    ...(startsDevnet ? { standInsPort: await freePort() } : {}),
    sqlPorts: await freePorts(options.environment, options.environment.answersSql),
    lakePorts: await freePorts(options.environment, options.environment.lake !== undefined),
  };
  const around: Surroundings = {
    environment,
    programs,
    shutdown,
    view,
    fail,
    note: (name, identity) => run.note(name, identity),
    aside: new Map(),
  };
  view.show("database", environment.databaseUrl === undefined ? "starting" : "connecting");
  const database = openDatabase(environment, shutdown, {
    onStart: (identity) => run.note("database", identity),
    onDeath: (message, isFinal) => (isFinal ? fail(message) : view.say(message)),
  }).then(({ description, remarks, ...place }) => {
    view.show("database", description, 100);
    for (const remark of remarks) view.say(remark);
    startGateway(place, around);
    startSql(place, around);
    return place;
  });
  // The first failure is the one to report; the caller ends the other parts.
  const lost = new Set<number>();
  const starting = Promise.all(
    environment.chains.map((served) => startChain(served, database, besideOthers(served, around, lost))),
  );
  const [{ databaseUrl }, chains] = await Promise.all([database, starting]);
  const gatewayUrl = `http://${reachableHost(environment.host)}:${environment.port}`;
  const [first] = chains;
  if (first) {
    const { lake } = environment;
    const rpcUrls = Object.fromEntries(chains.map(({ served, rpcUrl }) => [served.chain.chainId, rpcUrl]));
    const addresses = { databaseUrl, rpcUrls, chain: first.served.name, gatewayUrl };
    run.publish({ ...addresses, ...(lake === undefined ? {} : { lake }) });
  }
  const { aside } = around;
  await followUntilReady({ lake: environment.lake, databaseUrl, gatewayUrl, chains, aside, shutdown, view });
  return { gatewayUrl, chains, aside };
}

async function refuseTakenPorts({ host, port, chains, devnetPort, dataDir }: LauncherEnvironment): Promise<void> {
  await requireListening(port, host);
  for (const { ponderPort } of chains) await requireFreePort(ponderPort, "PONDER_PORT");
  const startsDevnet = chains.some(({ rpcUrl }) => rpcUrl === undefined);
  // With an instance on record the port may be taken by our own orphan: the devnet finds out and reports it itself.
  const hasInstance = existsSync(join(dataDir, "devnet", "instance.json"));
  if (startsDevnet && !hasInstance) await requireFreePort(devnetPort, "DEVNET_PORT");
}

function startGateway(
  database: DatabasePlace,
  { environment, programs, shutdown, view, note, fail }: Surroundings,
): void {
  const child = supervise(
    {
      name: "the gateway",
      command: process.execPath,
      args: programs.gateway,
      env: gatewayEnvironment(environment, database),
      cwd: projectRoot,
      logFile: join(environment.dataDir, "logs", "gateway.log"),
      graceMs: 5_000,
      hopelessAfter: 5,
      hopelessCodes: [1],
    },
    {
      onStart: (identity) => note("gateway", identity),
      onDeath: (death) => view.say(deathLine("the gateway", death)),
    },
  );
  void child.finished.then((reason) => reason !== undefined && fail(reason));
  shutdown.add("gateway", child);
}

/** One for each chain, where any are wanted. */
async function freePorts({ chains }: LauncherEnvironment, areWanted: boolean): Promise<ReadonlyMap<number, number>> {
  const ports = new Map<number, number>();
  if (areWanted) for (const { chain } of chains) ports.set(chain.chainId, await freePort());
  return ports;
}

/** A statement that ends this process harms no other part, so it is started again for as long as the run lives. */
function startSql(database: DatabasePlace, { environment, programs, shutdown, view, note }: Surroundings): void {
  for (const served of environment.chains) {
    const port = environment.sqlPorts?.get(served.chain.chainId);
    if (port === undefined) continue;
    const suffix = environment.chains.length > 1 ? `-${served.chain.chainId}` : "";
    const child = supervise(
      {
        name: "the SQL process",
        command: process.execPath,
        args: programs.sql,
        env: sqlEnvironment(environment, { ...database, served, port }),
        cwd: projectRoot,
        logFile: join(environment.dataDir, "logs", `sql${suffix}.log`),
        graceMs: 3_000,
        hopelessAfter: Number.POSITIVE_INFINITY,
        hopelessCodes: [],
        longestPauseMs: 2_000,
      },
      {
        onStart: (identity) => note(`sql${suffix}`, identity),
        onDeath: (death) => view.say(deathLine("the SQL process", death)),
      },
    );
    shutdown.add("sql", child);
  }
}

interface Following {
  lake: string | undefined;
  databaseUrl: string;
  gatewayUrl: string;
  chains: RunningChain[];
  aside: ReadonlyMap<number, string>;
  shutdown: Shutdown;
  view: ProgressView;
}

async function followUntilReady(following: Following): Promise<void> {
  const { lake, databaseUrl, gatewayUrl, aside, shutdown, view } = following;
  const sql = postgres(databaseUrl, {
    max: 1,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { lock_timeout: 2000 },
  });
  let last = "";
  let movedAt = performance.now();
  try {
    while (!shutdown.isStopping) {
      const chains = following.chains.filter(({ served }) => !aside.has(served.chain.chainId));
      const reason = chains.length === 0 ? "no chain is there yet" : await firstReason(gatewayUrl, chains);
      // A database or node that is away for a moment shows as no progress; those who own them report it.
      const now = await showProgress(sql, chains, view).catch(() => last);
      await showLake(lake, chains, view);
      view.show(
        "gateway",
        reason === undefined ? gatewayUrl : `${gatewayUrl}: ${reason}`,
        reason === undefined ? 100 : 0,
      );
      if (reason === undefined) return;
      if (now !== last) movedAt = performance.now();
      last = now;
      if (performance.now() - movedAt > STALLED_MS) {
        view.say(`nothing has moved for ${STALLED_MS / 60_000} minutes; the logs folder may say why`);
        movedAt = performance.now();
      }
      await sleep(POLL_MS);
    }
  } finally {
    await sql.end({ timeout: 2 }).catch(() => {});
  }
}

async function firstReason(gatewayUrl: string, chains: readonly RunningChain[]): Promise<string | undefined> {
  for (const { served, ponderSchema } of chains) {
    const reason = await whyNotReady(gatewayUrl, served.chain.chainId, ponderSchema);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** How far the lake is. Its writer reports what is wrong with it. */
async function showLake(lake: string | undefined, chains: readonly RunningChain[], view: ProgressView): Promise<void> {
  if (lake === undefined) return;
  for (const { served } of chains) {
    const manifest = await readManifest(chainFolder(lake, served.chain.chainId)).catch(() => undefined);
    const of = chains.length > 1 ? ` of ${served.name}` : "";
    view.show("lake", `written${of} up to block ${manifest?.segments.at(-1)?.last ?? "-"}`);
  }
}

/** Shows index and fold; resolves to what was shown, to notice a standstill. */
async function showProgress(sql: postgres.Sql, chains: readonly RunningChain[], view: ProgressView): Promise<string> {
  const seen: string[] = [];
  for (const { served, rpcUrl, ponderSchema, foldSchema } of chains) {
    const { startBlock: from, name } = served.chain;
    const head = await headOf(rpcUrl);
    const to = Math.max(from, head - FINALITY_BLOCKS);
    const { indexed, folded, isIndexed } = await readIndexProgress(sql, { ponderSchema, foldSchema });
    const of = chains.length > 1 ? ` of ${name}` : "";
    const doing = isIndexed ? "following the head" : indexed === undefined ? "reading the chain" : "backfilling";
    view.show("indexer", `${doing}${of}: block ${indexed ?? "-"} of ${head}`, percentOf(indexed, { from, to }));
    view.show(
      "fold",
      `folded${of} to block ${folded ?? "-"}`,
      percentOf(folded, { from, to: to - FINALITY_BLOCKS - 1 }),
    );
    seen.push(`${indexed}/${folded}`);
  }
  return seen.join();
}
