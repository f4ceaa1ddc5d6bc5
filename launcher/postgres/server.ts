// A PostgreSQL server of our own: found or made, started, stopped; whatever a kill -9 left behind is put right first.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { freePort, isPortFree, requireFreePort } from "../../machine/ports.ts";
import { identify } from "../../machine/processes.ts";
import { type Account, type Binaries, DatabaseStartError, findBinaries, ids, serverAccount } from "./binaries.ts";
import { ownerOf, putRightLeftovers, readPostmaster, stopPostmaster } from "./leftovers.ts";
import { findPlace, makePrivate, type Place, reachableBinaries, removePlace, unnamedPlaces } from "./place.ts";
import { serverSettings } from "./settings.ts";

export interface PostgresOptions {
  /** Folder of the cluster; made when missing. */
  dataDir: string;
  /** Loopback port; default: the one used last time if it is free, else any free one. */
  port?: number;
  hasReplicas?: boolean;
  /** Not durable, and removed by `stop()`: for tests. */
  isTemporary?: boolean;
}

export interface PostgresServer {
  /** `postgres://tidemark:…@127.0.0.1:port/tidemark` */
  url: string;
  /** Of the same server's Unix socket, for processes of its account and of root. */
  socketFolder?: string;
  pid: number;
  /** One line for people: version, where from, as whom, where the data lie. */
  description: string;
  /** Folders of databases that were made for this data directory, which names them no more. */
  left: readonly string[];
  /** Log of the server. */
  logFile: string;
  /** Resolves when the server has ended, for whatever reason. */
  ended: Promise<void>;
  /** Fast shutdown: open transactions are rolled back. */
  stop(): Promise<void>;
}

const USER = "tidemark";
const DATABASE = "tidemark";
const START_TIMEOUT_MS = 120_000;

/**
 * Starts the cluster of `dataDir`, making it when it is not there.
 * @throws DatabaseStartError with one line and the tail of the server's log; PortInUseError for an explicit port
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const account = serverAccount();
  const { abandoned, left } = unnamedPlaces(options.dataDir);
  for (const folder of abandoned) await discard(folder);
  const place = findPlace(options.dataDir, account);
  const binaries = reachableBinaries(findBinaries(), place, account);
  const cluster = join(place.folder, "cluster");
  refuseIfOwned(place);
  await putRightLeftovers(cluster);
  if (!existsSync(cluster)) createCluster({ place, binaries, account });
  refuseOtherMajor(cluster, binaries);
  const port = await choosePort(place, options.port);
  writeFileSync(join(place.folder, "owner.json"), JSON.stringify(identify(process.pid)));
  const url = `postgres://${USER}:${readFileSync(join(place.folder, "password"), "utf8")}@127.0.0.1:${port}/${DATABASE}`;
  const hasSocket = isReachable(cluster, port);
  const settings = serverSettings({
    port,
    hasSocket,
    hasReplicas: options.hasReplicas ?? false,
    isTemporary: options.isTemporary ?? false,
  });
  const logFile = join(place.folder, "postgres.log");
  const child = await launch({ binaries, account, cluster, settings, logFile });
  await ensureDatabase(url).catch(async (error: unknown) => {
    await stopPostmaster(cluster);
    throw new DatabaseStartError(
      `PostgreSQL started, but its database cannot be opened (${error instanceof Error ? error.message : error}); its log is ${logFile}, its password in ${join(place.folder, "password")}`,
    );
  });
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });
  const stop = async () => {
    await stopPostmaster(cluster);
    await ended;
    if (options.isTemporary) removePlace(options.dataDir, place);
  };
  const whom = account ? ` as ${account.name}` : "";
  const where = place.isRelocated ? `${place.folder} (${account?.name} cannot enter ${options.dataDir})` : place.folder;
  const description = `PostgreSQL ${binaries.major} (${binaries.source})${whom}, port ${port}, data in ${where}`;
  const socket = hasSocket ? { socketFolder: cluster } : {};
  return { url, ...socket, pid: child.pid ?? 0, description, left, logFile, ended, stop };
}

/** Whether a client can name the socket: an address has room for 107 bytes (unix(7); fewer elsewhere). */
const isReachable = (cluster: string, port: number): boolean =>
  process.platform !== "win32" && Buffer.byteLength(join(cluster, `.s.PGSQL.${port}`)) <= 103;

function refuseIfOwned(place: Place): void {
  const owner = ownerOf(place.folder);
  if (owner && owner.pid !== process.pid && readPostmaster(join(place.folder, "cluster")))
    throw new DatabaseStartError(
      `the database in ${place.folder} belongs to the running process ${owner.pid}; stop that one first`,
    );
}

async function discard(folder: string): Promise<void> {
  const owner = ownerOf(folder);
  if (owner && owner.pid !== process.pid) return;
  await stopPostmaster(join(folder, "cluster"));
  rmSync(folder, { recursive: true, force: true });
}

function createCluster({ place, binaries, account }: { place: Place; binaries: Binaries; account: Account }): void {
  const incoming = join(place.folder, "cluster.new");
  rmSync(incoming, { recursive: true, force: true });
  makePrivate(incoming, account);
  const password = randomBytes(16).toString("hex");
  writeFileSync(join(place.folder, "password"), password, { mode: 0o600 });
  // initdb runs as another account: it gets the password in a file of its own, for as long as it runs.
  const handover = join(place.folder, "password.new");
  writeFileSync(handover, password, { mode: 0o600 });
  if (account) chownSync(handover, account.uid, account.gid);
  const base = [
    "-D",
    incoming,
    "-U",
    USER,
    `--pwfile=${handover}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--no-sync",
    "--no-instructions",
  ];
  const [first, ...others] = localeFlags(binaries.major).map(
    (locale) => () =>
      spawnSync(join(binaries.folder, "bin", "initdb"), [...base, ...locale], {
        cwd: place.folder,
        encoding: "utf8",
        ...ids(account),
      }),
  );
  let run = first?.();
  for (const again of others) if (run?.status !== 0) run = again();
  rmSync(handover, { force: true });
  if (run?.status !== 0)
    throw new DatabaseStartError(
      `initdb failed in ${place.folder}: ${(run?.stderr || run?.error?.message || "").trim().replaceAll(/\s+/g, " ")}`,
    );
  renameSync(incoming, join(place.folder, "cluster"));
}

/** From 17 on PostgreSQL brings its own C.UTF-8; before, the system must have it, else plain C does. */
function localeFlags(major: number): string[][] {
  if (major >= 17) return [["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]];
  return [["--locale=C.UTF-8"], ["--locale=C"]];
}

function refuseOtherMajor(cluster: string, { major }: Binaries): void {
  const made = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (made !== String(major))
    throw new DatabaseStartError(
      `${cluster} was made by PostgreSQL ${made}, this is ${major}; remove it (everything will be indexed again) or set DATABASE_URL`,
    );
}

async function choosePort(place: Place, wanted: number | undefined): Promise<number> {
  if (wanted !== undefined) {
    await requireFreePort(wanted, "DATABASE_PORT");
    return wanted;
  }
  const note = join(place.folder, "port");
  const last = existsSync(note) ? Number(readFileSync(note, "utf8")) : 0;
  const port = last > 0 && (await isPortFree(last)) ? last : await freePort();
  writeFileSync(note, String(port));
  return port;
}

interface Launch {
  binaries: Binaries;
  account: Account;
  cluster: string;
  settings: Record<string, string>;
  logFile: string;
}

async function launch(parts: Launch): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt++) {
    const child = spawnServer(parts);
    const isReady = await waitUntilReady(child, parts.cluster);
    if (isReady) return child;
    const tail = tailOf(parts.logFile);
    // Backends outlive a killed postmaster for a moment and still hold its shared memory.
    if (attempt < 10 && /shared memory block .* still in use/.test(tail)) {
      await putRightLeftovers(parts.cluster);
      await sleep(500);
      continue;
    }
    throw new DatabaseStartError(`PostgreSQL did not start; its log ${parts.logFile} ends: ${tail.slice(-600).trim()}`);
  }
}

/** Its own session: Ctrl-C in the terminal must reach the launcher alone, which stops the database last. */
function spawnServer({ binaries, account, cluster, settings, logFile }: Launch): ChildProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(logFile, "a");
  const child = spawn(join(binaries.folder, "bin", "postgres"), ["-D", cluster, ...flags], {
    cwd: join(cluster, ".."),
    stdio: ["ignore", log, log],
    detached: true,
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    ...ids(account),
  });
  closeSync(log);
  child.on("error", () => {});
  return child;
}

/** postmaster.pid says `ready` in its eighth line once connections are accepted. */
async function waitUntilReady(child: ChildProcess, cluster: string): Promise<boolean> {
  for (const deadline = performance.now() + START_TIMEOUT_MS; performance.now() < deadline; await sleep(20)) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return false;
    const running = readPostmaster(cluster);
    if (running?.pid === child.pid && running.isReady) return true;
  }
  child.kill("SIGQUIT");
  return false;
}

async function ensureDatabase(url: string): Promise<void> {
  const admin = postgres(url.replace(/[^/]*$/, "postgres"), { max: 1, onnotice: () => {} });
  try {
    const found = await admin`select 1 from pg_database where datname = ${DATABASE}`;
    if (found.length === 0) await admin.unsafe(`create database ${DATABASE}`);
  } finally {
    await admin.end({ timeout: 2 });
  }
}

function tailOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").slice(-4000) : "";
}
