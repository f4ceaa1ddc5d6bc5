// The fold's process: one writer per fold schema, beside it the readers of the chain (head, token metadata).
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import postgres from "postgres";
import { createPublicClient, http } from "viem";
import { CHAIN_REPLACED_EXIT } from "./chain-standing.ts";
import { createChainWatch, nodeOf } from "./chain-watch.ts";
import { readEnvironment } from "./environment.ts";
import { exitCodeOf, TEMPORARY } from "./exit-code.ts";
import { readProgress } from "./facts-reader.ts";
import { createFoldLoop } from "./fold-loop.ts";
import { ensureDeployment, type FoldIdentity, foldSchemaName } from "./fold-schema.ts";
import { followHead, rememberHead } from "./head-follower.ts";
import { sequence } from "./sequential-step.ts";
import { createStepReaders, createSteps } from "./steps.ts";
import { writerLock } from "./takeover.ts";
import { storeMissingMetadata } from "./token-metadata.ts";

const HEAD_POLL_MS = 500;
const METADATA_POLL_MS = 500;

let environment: ReturnType<typeof readEnvironment>;
try {
  environment = readEnvironment();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

function end(error: unknown): never {
  log.fatal({ error: error instanceof Error ? error.message : String(error) }, "the fold stops");
  process.exit(exitCodeOf(error));
}

const { chain, databaseUrl, rpcUrl, ponderSchema, logLevel, keepOldSeconds } = environment;
const log = pino({ level: logLevel, base: { part: "fold", chain: chain.name } });
let stopping = false;

/**
 * One connection, for as long as the process lives: it holds the writer's lock, temporary tables and settings, so
 * losing it ends the process, and the launcher starts a new one.
 */
const connect = () =>
  postgres(databaseUrl, {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    connection: { application_name: "tidemark-fold" },
    onclose: () => {
      if (stopping) return;
      log.fatal("the database closed the connection");
      process.exit(TEMPORARY);
    },
  });
// Also what goes wrong before the loop: a database that is not up yet.
process.on("uncaughtException", end);
const writer = connect();
const second = connect();
const reader = connect();
const client = createPublicClient({ transport: http(rpcUrl, { timeout: 10_000, retryCount: 1 }) });
const foldSchema = foldSchemaName(ponderSchema);
const identity: FoldIdentity = { chainId: chain.chainId, ponderSchema, foldSchema, firstBlock: chain.startBlock };

// Batches sort and group a quarter of a million facts; the default 4 MB would spill every one of them to disk.
await writer.unsafe("set work_mem = '256MB'; set temp_buffers = '128MB'; set lock_timeout = '2s'");
// What moves the head waits for the disk; what else a crash loses is made again from facts that stay.
await writer.unsafe("set synchronous_commit = off");
await ensureDeployment(writer);
// Session lock: a second fold of the same schema waits here until the first one's connection is gone.
for (let isLogged = false; ; isLogged = true) {
  const [lock] = await writer.unsafe(`select pg_try_advisory_lock(${writerLock(foldSchema)}) as mine`);
  if (lock?.mine) break;
  if (!isLogged) log.warn({ schema: foldSchema }, "another fold is writing this schema; waiting for its turn");
  await sleep(1_000);
}

const setting = { chain, schemas: { ponder: ponderSchema, fold: foldSchema }, log };
const steps = sequence(writer, foldSchema, createSteps(writer, setting));
const stepReaders = createStepReaders({ db: reader, client }, setting);
const node = nodeOf(client);
const watchChain = createChainWatch(reader, { indexed: { chainId: chain.chainId, ponderSchema }, node });
let isComplete = false;

/** Stored rows, or none while the fold's schema is not there: the loop makes it, also anew when it was dropped. */
const whenFolded = (read: Promise<number>): Promise<number> =>
  read.catch((error: unknown) => {
    log.debug({ error: String(error) }, "reading the chain waits for the fold's tables");
    return 0;
  });

async function readForSteps(): Promise<number> {
  let stored = 0;
  for (const stepReader of stepReaders) stored += await whenFolded(stepReader.readMissing());
  return stored;
}

const loop = createFoldLoop(writer, {
  ...{ identity, steps, log, second, keepOldSeconds, node },
  isComplete: () => isComplete,
  readMissing: readForSteps,
});

async function readTokens(isLive: boolean): Promise<number> {
  const tokens = await whenFolded(storeMissingMetadata({ db: reader, client }, foldSchema));
  if (tokens > 0) log.info({ tokens }, "token metadata read");
  isComplete ||= isLive && tokens === 0;
  return tokens;
}

async function endIfReplaced(): Promise<void> {
  const replaced = await watchChain();
  if (replaced === undefined) return;
  log.fatal(replaced);
  process.exit(CHAIN_REPLACED_EXIT);
}

async function readTheChain(): Promise<void> {
  for (let last = Number.NEGATIVE_INFINITY; !stopping; ) {
    await followHead(reader, client, chain.chainId);
    const ponder = await readProgress(reader, ponderSchema);
    if (ponder?.head !== undefined) await rememberHead(reader, chain.chainId, ponder.head);
    if (ponder) await endIfReplaced();
    // first what the fold itself waits for
    const stored = ponder ? await readForSteps() : 0;
    if (ponder && performance.now() - last >= METADATA_POLL_MS && (await readTokens(ponder.isReady)) === 0)
      last = performance.now();
    if (stored === 0) await sleep(HEAD_POLL_MS);
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
  const chainReader = readTheChain();
  await Promise.race([loop.run(), chainReader.then(() => loop.run())]);
  await Promise.allSettled([chainReader]);
  await Promise.all([writer, second, reader].map((db) => db.end({ timeout: 2 })));
} catch (error) {
  // The launcher starts us again; whatever was not committed never happened.
  end(error);
}
