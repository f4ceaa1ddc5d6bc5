// `npm run lake`: writes what is final as Parquet files. Options: see arguments.ts.
import { realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import postgres from "postgres";
import { chainFolder } from "../core/lake/paths.ts";
import { LOG_DESTINATION, outliveFullDisk } from "../core/log-output.ts";
import { isLockLost } from "../database/error-codes.ts";
import { KEEPALIVES } from "../database/keepalives.ts";
import { undelayed } from "../database/undelayed.ts";
import { exitCodeOf, TEMPORARY } from "../fold/process/exit-code.ts";
import { UsageError } from "../machine/command-line.ts";
import type { FileLock } from "../machine/file-lock.ts";
import { makeFolder } from "../machine/make-folder.ts";
import { type LakeTask, parseTask, USAGE } from "./arguments.ts";
import { SOURCES_CURE } from "./continue-lake.ts";
import { type LakeEnvironment, readEnvironment } from "./environment.ts";
import { claimFolder } from "./folder-claim.ts";
import { isDiskFull, LakeFolderError, namingFolder } from "./folder-error.ts";
import { openPrices } from "./hour-prices.ts";
import { createLakeLife } from "./lake-life.ts";
import { type LakeStanding, LakeWriter } from "./lake-writer.ts";
import { HistoryLoader } from "./pruned/load-history.ts";
import { createLoadServer } from "./pruned/serve.ts";
import { readContracts } from "./read-contracts.ts";

const FOLLOW_MS = 2_000;
const WAIT_FOR_WRITER_MS = 1_000;
const WRONG_USE = 2;
const MENDED = 3;
const TIDY_MS = 60_000;

/** Whether the error may pass by itself, or once the operator acts, without a change of settings. */
const isPassing = (error: unknown): boolean =>
  isDiskFull(error) || isLockLost(error) || error instanceof LakeFolderError;

let task: LakeTask;
let environment: LakeEnvironment;
try {
  task = parseTask(process.argv.slice(2));
  if (task === "help") {
    console.log(USAGE);
    process.exit(0);
  }
  environment = readEnvironment();
} catch (error) {
  console.error(`lake: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof UsageError) console.error(USAGE);
  process.exit(WRONG_USE);
}

const { chain, lake, databaseUrl, port, keep, logLevel } = environment;
const log = pino(
  { level: logLevel, base: { part: "lake", chain: chain.name } },
  outliveFullDisk(pino.destination(LOG_DESTINATION)),
);
const say = (line: string) => (task === "follow" ? log.info(line) : console.log(line));
const stopping = new AbortController();
for (const name of ["SIGTERM", "SIGINT", "disconnect"]) process.on(name, () => stopping.abort());

let isLeaving = false;
let hasTurn = false;
let claim: FileLock | undefined;
/** Names of locks in the database: one of the writer, and one of those that wait for the writer to lend its turn. */
const turnLock = async () => `tidemark lake ${chain.chainId} ${hostname()} ${await realpath(lake)}`;
const wishLock = async () => `${await turnLock()} wanted`;
/** The turn is lost with one connection, and the state that is being written with the other: new connections would have neither. */
const onclose = () => {
  const lost = Object.assign(new Error("the database closed the connection"), { code: "CONNECTION_CLOSED" });
  if (hasTurn && !isLeaving) void leave(lost);
};
const connect = () =>
  postgres(databaseUrl, {
    ...undelayed(),
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    onclose,
    connection: { application_name: "tidemark-lake", ...KEEPALIVES },
  });
const connections = { snapshot: connect(), facts: connect() };
const loaderDb = connect();
const loader = new HistoryLoader({ db: loaderDb, chainId: chain.chainId, lake, keep, say: (line) => log.info(line) });
const prices = openPrices(databaseUrl, chain, { load: (_, range) => loader.load(range) });
const life = createLakeLife({ databaseUrl, chainId: chain.chainId, lake });

/** The lock is held for as long as the session lives: two writers would delete each other's files. */
async function waitForTurn(): Promise<void> {
  makeFolder(lake);
  const name = await turnLock();
  if (task !== "follow") await connections.facts`select pg_advisory_lock_shared(hashtext(${await wishLock()}))`;
  for (let isSaid = false; ; isSaid = true) {
    const [row] = await connections.facts`select pg_try_advisory_lock(hashtext(${name})) as mine`;
    hasTurn = row?.mine === true;
    if (hasTurn) break;
    if (!isSaid) say(`another process writes ${lake}: waiting for its turn`);
    await sleep(WAIT_FOR_WRITER_MS, undefined, { signal: stopping.signal });
  }
  claim = await claimFolder(chainFolder(lake, chain.chainId), stopping.signal);
}

/** Between two rounds, to processes that end by themselves: a check would wait for ever for a writer with --follow. */
async function lendTurn(writer: LakeWriter): Promise<void> {
  const { facts } = connections;
  makeFolder(lake);
  const [name, wanted] = [await turnLock(), await wishLock()];
  const isWanted = async () => {
    const [row] = await facts`select pg_try_advisory_lock(hashtext(${wanted})) as mine`;
    if (row?.mine === true) await facts`select pg_advisory_unlock(hashtext(${wanted}))`;
    return row?.mine !== true;
  };
  if (!(await isWanted())) return;
  say("another process wants its turn: waiting until it is done");
  hasTurn = false;
  claim?.release();
  await facts`select pg_advisory_unlock(hashtext(${name}))`;
  while (await isWanted()) await sleep(WAIT_FOR_WRITER_MS, undefined, { signal: stopping.signal });
  await waitForTurn();
  await writer.open();
}

async function writeFinal(writer: LakeWriter): Promise<LakeStanding> {
  const standing = await writer.writeFinal();
  life.reportPosition(standing);
  return standing;
}

function sayStanding({ written, lastBlock, lastWritable, waitsFor }: LakeStanding): void {
  const has = lastBlock === undefined ? "nothing yet" : `everything up to block ${lastBlock}`;
  say(`${written} segments written; ${lake} has ${has}, final up to block ${lastWritable ?? "-"}`);
  if (waitsFor !== undefined) say(`waits for ${waitsFor}`);
}

/** Undefined where Ponder had its tables locked for longer than a read waits: in a reorg, or when it starts. */
async function writeUnlessLocked(writer: LakeWriter): Promise<LakeStanding | undefined> {
  try {
    return await writeFinal(writer);
  } catch (error) {
    if (!isLockLost(error)) throw error;
    log.warn("Ponder has its tables locked: trying again");
    return undefined;
  }
}

const warn = (text: string) => (error: unknown) =>
  log.warn({ error: error instanceof Error ? error.message : String(error) }, text);

/** Also while another process writes the lake. */
function serveLoads(): void {
  if (task !== "follow") return;
  const tidy = () => loader.tidy().catch(warn("loaded history was not put away"));
  setInterval(tidy, TIDY_MS).unref();
  if (port === undefined) return;
  const server = createLoadServer(loader, warn("history was not loaded"));
  server.on("error", warn(`LAKE_PORT: cannot listen on ${port}`));
  server.listen(port, "127.0.0.1");
}

async function follow(writer: LakeWriter): Promise<void> {
  while (!stopping.signal.aborted) {
    const standing = await writeUnlessLocked(writer);
    if (standing && standing.written > 0) sayStanding(standing);
    await lendTurn(writer);
    await sleep(FOLLOW_MS, undefined, { signal: stopping.signal });
  }
}

async function check(writer: LakeWriter): Promise<void> {
  const { files, wrong, left, otherSources, withoutSources } = await writer.check();
  for (const { file, found } of left) say(`${file.path} ${found}`);
  say(`${files} files: ${wrong.length} not as the manifest says, ${wrong.length - left.length} of them written again`);
  if (withoutSources !== undefined) say(`blocks up to ${withoutSources} do not say what sources they were read from`);
  if (otherSources !== undefined) say(`${writer.folder} ${otherSources}: ${SOURCES_CURE}`);
  if (wrong.length > 0 || otherSources !== undefined)
    process.exitCode = left.length > 0 || otherSources !== undefined ? 1 : MENDED;
}

/** Ends the process. `found`: why; absent when it is done, or was stopped on purpose. */
async function leave(found?: unknown): Promise<void> {
  isLeaving = true;
  const failure = namingFolder(found, lake);
  if (failure !== undefined) {
    log.fatal({ error: failure instanceof Error ? failure.message : String(failure) }, "the lake's writer stops");
    process.exitCode = isPassing(failure) ? TEMPORARY : exitCodeOf(failure);
  }
  await life.end(failure);
  // it may be in the middle of a statement when it is stopped
  await prices.close();
  await Promise.all([...Object.values(connections), loaderDb].map((db) => db.end({ timeout: 2 })));
  process.exit();
}

try {
  serveLoads();
  await waitForTurn();
  life.begin();
  const writer = new LakeWriter({
    chain,
    lake,
    connections,
    readPrices: prices.read,
    say,
    begins: life.writes,
    wrote: life.wrote,
    own: readContracts(chain, chain.chainId),
  });
  await writer.open();
  if (task === "check") await check(writer);
  else if (task === "follow") await follow(writer);
  else sayStanding(await writeFinal(writer));
  await leave();
} catch (error) {
  if (!isLeaving) await leave(stopping.signal.aborted ? undefined : error);
}
