// The fold's process: one writer per fold schema, beside it the readers of the chain (head, token metadata, farms).
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import postgres from "postgres";
import { createPublicClient, http } from "viem";
import { indexingOf } from "../chains/indexing.ts";
import { sourcesText } from "../chains/sources.ts";
import { LOG_DESTINATION, outliveFullDisk } from "../core/log-output.ts";
import { refuseArguments } from "../core/set-variables.ts";
import { withoutKeys } from "../core/without-keys.ts";
import { isLockLost } from "../database/error-codes.ts";
import { KEEPALIVES } from "../database/keepalives.ts";
import { undelayed } from "../database/undelayed.ts";
import { inTurn } from "./contracts/read-missing.ts";
import { storeMissingMetadata } from "./contracts/token-metadata.ts";
import { readEnvironment } from "./environment.ts";
import { readProgress } from "./facts/facts-reader.ts";
import { createFarmSettingsReader } from "./farm/settings-reader.ts";
import { FoldLoop } from "./fold-loop.ts";
import { ensureDeployment, type FoldIdentity, foldSchemaName } from "./fold-schema.ts";
import { CHAIN_REPLACED_EXIT } from "./node/chain-standing.ts";
import { createChainWatch, nodeOf } from "./node/chain-watch.ts";
import { createChainCheck, followHead, rememberHead } from "./node/head-follower.ts";
import { pacedFetch } from "./node/paced-fetch.ts";
import { exitCodeOf, TEMPORARY } from "./process/exit-code.ts";
import { createLife } from "./process/life.ts";
import { createPartRecord, DUE_MS } from "./process/part-record.ts";
import { sequence } from "./sequential-step.ts";
import { writerLock } from "./serving/takeover.ts";
import { createStepReaders, createSteps } from "./steps.ts";
import { quoted } from "./tables.ts";

/** Between two reads of Ponder's progress. */
const PROGRESS_POLL_MS = 500;
const METADATA_POLL_MS = 500;
/** Gateways are not ready when the node has not answered for longer: a request must fail before that, so that the reason is known. */
const HEAD_TIMEOUT_MS = 3_000;
const SHUTDOWN_REPORT_MS = 1_000;

let environment: ReturnType<typeof readEnvironment>;
try {
  refuseArguments(process.argv.slice(2));
  environment = readEnvironment();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** Ends the process; the reason is left in the database if possible. */
async function end(error: unknown): Promise<void> {
  const reason = withoutKeys(error instanceof Error ? error.message : String(error));
  log.fatal({ error: reason }, "the fold stops");
  await reportShutdown(reason);
  process.exit(exitCodeOf(error));
}

const reportShutdown = (reason: string): Promise<void> =>
  Promise.race([record.ended(reason).catch(() => {}), sleep(SHUTDOWN_REPORT_MS)]);

const { chain, databaseUrl, rpcUrl, ponderSchema, logLevel, keepOldSeconds } = environment;
const log = pino(
  { level: logLevel, base: { part: "fold", chain: chain.name } },
  outliveFullDisk(pino.destination(LOG_DESTINATION)),
);
let stopping = false;

/**
 * One connection, for as long as the process lives: it holds the writer's lock, temporary tables and settings, so
 * losing it ends the process, and the launcher starts a new one.
 */
const connect = () =>
  postgres(databaseUrl, {
    ...undelayed(),
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    connection: { application_name: "tidemark-fold", ...KEEPALIVES },
    onclose: () => {
      if (stopping) return;
      log.fatal("the database closed the connection");
      process.exit(TEMPORARY);
    },
  });
const writer = connect();
const upkeepDb = connect();
const factsDb = connect();
const reader = connect();
/** The loop may read what blocks wait for at any time: that must not end up in a transaction of the other reader. */
const stepsReader = connect();
/** No block waits for what farms pay: a node that is slow to say it must not hold up the other readers. */
const farmsReader = connect();
/** For signs of life and the node's head, which wait for nothing else. */
const heart = connect();
const fetchFn = pacedFetch(fetch, { warn: (message) => log.warn(message), mostWaitMs: 1_000 });
const client = createPublicClient({ transport: http(rpcUrl, { timeout: 10_000, retryCount: 1, fetchFn }) });
const foldSchema = foldSchemaName(ponderSchema);
const headClient = createPublicClient({
  transport: http(rpcUrl, { timeout: HEAD_TIMEOUT_MS, retryCount: 0, fetchFn }),
});
const { weth9, erc4626Vaults } = indexingOf(chain);
const identity: FoldIdentity = {
  ...{ chainId: chain.chainId, firstBlock: chain.startBlock, weth9, erc4626: erc4626Vaults.addresses },
  ...{ ponderSchema, foldSchema, sources: sourcesText(chain) },
};

const record = createPartRecord(heart, { chainId: chain.chainId, part: "fold", schema: foldSchema });
const life = createLife(record);
// Also for what goes wrong before the loop, such as a database that is not up yet.
process.on("uncaughtException", (error) => void end(error));
await heart.unsafe("set synchronous_commit = off");

// Batches sort and group a quarter of a million facts; the default 4 MB would spill every one of them to disk.
await writer.unsafe("set work_mem = '256MB'; set temp_buffers = '128MB'; set lock_timeout = '2s'");
// Only what moves the head waits for the disk; anything else that a crash loses is made again from facts that stay.
await writer.unsafe("set synchronous_commit = off");
await ensureDeployment(writer);
// Session lock: a second fold of the same schema waits here until the first one's connection is gone.
for (let isLogged = false; ; isLogged = true) {
  const [lock] = await writer.unsafe(`select pg_try_advisory_lock(${writerLock(foldSchema)}) as mine`);
  if (lock?.mine) break;
  if (!isLogged) log.warn({ schema: foldSchema }, "another fold is writing this schema; waiting for its turn");
  await sleep(1_000);
}
await record.started(DUE_MS);

const setting = { chain, schemas: { ponder: ponderSchema, fold: foldSchema }, log };
const steps = sequence(writer, foldSchema, createSteps(writer, setting));
const stepReaders = createStepReaders({ db: stepsReader, client }, setting);
const readMissingFarms = chain.farms
  ? createFarmSettingsReader({ db: farmsReader, client }, setting.schemas)
  : undefined;
const confirmChain = createChainCheck(headClient, chain.chainId);
const node = nodeOf(client, confirmChain);
const watchChain = createChainWatch(reader, { indexed: { chainId: chain.chainId, ponderSchema }, node });
let isComplete = false;

/** Stored rows, or none while the fold's schema is not there: the loop creates it, and again when it was dropped. */
const whenFolded = (read: Promise<number>): Promise<number> =>
  read.catch((error: unknown) => {
    log.debug({ error: withoutKeys(String(error)) }, "reading the chain waits for the fold's tables");
    return 0;
  });

/** Undefined while Ponder has its tables locked for longer than we wait: the next round reads them. */
const unlessLocked = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: unknown) => {
    if (!isLockLost(error)) throw error;
    log.debug({ error: String(error) }, "Ponder has its tables locked");
    return undefined;
  });

const readForSteps = inTurn(async (): Promise<number> => {
  let stored = 0;
  for (const readMissing of stepReaders) stored += await whenFolded(readMissing());
  return stored;
});

const loop = new FoldLoop(writer, {
  ...{ identity, steps, log, upkeepDb, factsDb, keepOldSeconds, node },
  sign: (ahead) => life.sign(ahead),
  isComplete: () => isComplete,
  readMissing: readForSteps,
});

async function readTokens(isLive: boolean): Promise<number> {
  const tokens = await whenFolded(storeMissingMetadata({ db: reader, client }, foldSchema));
  if (tokens > 0) log.info({ tokens }, "token metadata read");
  isComplete ||= isLive && tokens === 0;
  return tokens;
}

let areFarmsBeingRead = false;

/** Reads what is missing, unless that is under way. Nothing waits for it. */
async function readFarms(): Promise<void> {
  if (readMissingFarms === undefined || areFarmsBeingRead) return;
  areFarmsBeingRead = true;
  while (!stopping && (await whenFolded(readMissingFarms())) > 0);
  areFarmsBeingRead = false;
}

async function endIfReplaced(): Promise<void> {
  const replaced = await watchChain();
  if (replaced === undefined) return;
  log.fatal(replaced);
  await reportShutdown(replaced);
  process.exit(CHAIN_REPLACED_EXIT);
}

const headText = `select head from ${quoted(foldSchema)}.meta`;

async function watchTheHead(): Promise<void> {
  const pauseMs = Math.max(chain.pollingIntervalMs, PROGRESS_POLL_MS);
  for (; !stopping; await sleep(pauseMs)) {
    const reported = await followHead(heart, { client: headClient, chainId: chain.chainId, confirm: confirmChain });
    life.waits("trouble" in reported ? `the node: ${reported.trouble}` : undefined);
    if ("trouble" in reported) continue;
    const [meta] = await heart.unsafe(headText).catch(() => []);
    if (meta) life.reportPosition({ chain: reported.head, fold: Number(meta.head) });
  }
}

async function readTheChain(): Promise<void> {
  for (let last = Number.NEGATIVE_INFINITY; !stopping; ) {
    const ponder = await unlessLocked(readProgress(reader, ponderSchema));
    if (ponder?.head !== undefined) await rememberHead(reader, chain.chainId, ponder.head);
    if (ponder) await unlessLocked(endIfReplaced());
    if (ponder) void readFarms();
    // first what the fold itself waits for
    const stored = ponder ? await readForSteps() : 0;
    if (ponder && performance.now() - last >= METADATA_POLL_MS && (await readTokens(ponder.isReady)) === 0)
      last = performance.now();
    if (stored === 0) await sleep(PROGRESS_POLL_MS);
  }
}

async function stop(): Promise<void> {
  stopping = true;
  loop.stop();
}
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
process.on("disconnect", () => void stop());

try {
  const beside = Promise.all([readTheChain(), watchTheHead()]);
  await Promise.race([loop.run(), beside.then(() => loop.run())]);
  await Promise.allSettled([beside]);
  await record.ended();
  await Promise.all(
    [writer, upkeepDb, factsDb, reader, stepsReader, farmsReader, heart].map((db) => db.end({ timeout: 2 })),
  );
  // a farm may still be asked
  process.exit();
} catch (error) {
  // The launcher starts us again; whatever was not committed never happened.
  await end(error);
}
