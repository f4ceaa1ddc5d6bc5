// Seeds the devnet whole, indexes and folds it and writes its lake, once for every file of this folder. Ponder has the states of
// the newest blocks alone; the fold has all. Both end when they are done, so that nothing moves any more and nothing runs beside the tests but a
// database and an idle node.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import postgres, { type Sql } from "postgres";
import { createPublicClient, http } from "viem";
import type { TestProject } from "vitest/node";
import { loadChain } from "../../chains/load.ts";
import { saveWorld } from "../../devnet/scenario/saved-world.ts";
import { type SeededDevnet, startSeededDevnet } from "../../devnet/seeded.ts";
import { storeMissingMetadata } from "../../fold/contracts/token-metadata.ts";
import { readProgress } from "../../fold/facts/facts-reader.ts";
import { createFarmSettingsReader } from "../../fold/farm/settings-reader.ts";
import { foldSchemaName } from "../../fold/fold-schema.ts";
import { createStepReaders } from "../../fold/steps.ts";
import { quoted } from "../../fold/tables.ts";
import { freePort } from "../../machine/ports.ts";
import { Part } from "../../trials/faults/part.ts";
import { type Indexer, startIndexer } from "../facts/indexer.ts";
import { makeLake } from "../support/lake.ts";
import { chainListingTwice } from "../support/listed-twice.ts";
import { startTestServer } from "../support/test-server.ts";
import { keepingStates, STATES_OF_FULL_NODE, startTroubledNode } from "../support/troubled-node.ts";
import type { SeededOutcome, SeededPlace } from "./seeded-index.ts";

const PATIENCE_MS = 900_000;

type Undo = () => unknown;

/** Goes on while the quick tests run: the first file of this folder waits for it. */
export default function setUp(project: TestProject): () => Promise<void> {
  const undo: Undo[] = [];
  const folder = mkdtempSync(join(tmpdir(), "tidemark-seeded-"));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "seeded.json");
  project.provide("seededFile", file);
  const made = makeIndex(folder, undo).then(
    (seeded) => writeOutcome(file, { seeded }),
    (error: unknown) =>
      writeOutcome(file, { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
  return async () => {
    await made;
    for (const step of undo.splice(0).reverse()) await step();
  };
}

/** All at once: nobody reads half of it. */
function writeOutcome(file: string, outcome: SeededOutcome): void {
  writeFileSync(`${file}.new`, JSON.stringify(outcome));
  renameSync(`${file}.new`, file);
}

async function makeIndex(folder: string, undo: Undo[]): Promise<SeededPlace> {
  const server = await startTestServer();
  undo.push(() => server.stop());
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  undo.push(() => sql.end({ timeout: 2 }));
  const devnet = await startSeededDevnet({ port: await freePort() });
  undo.push(() => devnet.stop());
  saveWorld(folder, devnet.world);
  const { schema, ...index } = await indexAndFold({ devnet, databaseUrl: server.url, sql, folder }, undo);
  const copyUrl = await copyDatabase(server.url, "tidemark_copy");
  const prunedUrl = await copyDatabase(server.url, "tidemark_pruned");
  const chainFile = join(folder, "facts", "chain.json");
  const { lake } = await makeLake(server.url, loadChain(chainFile), join(folder, "lake"));
  return {
    rpcUrl: devnet.rpcUrl,
    databaseUrl: server.url,
    copyUrl,
    prunedUrl,
    chainFile,
    lake,
    ponderSchema: schema,
    foldSchema: foldSchemaName(schema),
    worldFolder: folder,
    ...index,
  };
}

interface Place {
  devnet: SeededDevnet;
  databaseUrl: string;
  sql: Sql;
  folder: string;
}

async function indexAndFold(
  { devnet, databaseUrl, sql, folder }: Place,
  undo: Undo[],
): Promise<{ schema: string; head: number; finalized: number }> {
  const { rpcUrl, world } = devnet;
  const pruned = await startTroubledNode(rpcUrl, { refuses: keepingStates(rpcUrl, STATES_OF_FULL_NODE) });
  undo.push(() => pruned.stop());
  const indexer = startIndexer({
    chain: chainListingTwice(world.stage),
    folder: join(folder, "facts"),
    sql,
    databaseUrl,
    rpcUrl: pruned.url,
    port: await freePort(),
  });
  undo.push(() => indexer.stop());
  const { schema } = indexer;
  const chainFile = join(folder, "facts", "chain.json");
  const env = { DATABASE_URL: databaseUrl, RPC_URL: rpcUrl, CHAIN: chainFile, PONDER_SCHEMA: schema };
  const fold = new Part({ name: "fold", command: ["fold/main.ts"], env, logFolder: folder, isSupervised: false });
  undo.push(() => fold.kill());
  fold.start();
  const { number, hash } = await devnet.chain.client.getBlock();
  await indexer.waitFor({ number: Number(number), hash });
  // transactions and locks belong to one connection
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const finalized = await allFolded({ db, fold, schema, head: Number(number) });
    await indexer.stop();
    await fold.kill();
    await readTheRest(db, { rpcUrl, indexer });
    return { schema, head: Number(number), finalized };
  } finally {
    await db.end({ timeout: 2 });
  }
}

/** All that was indexed and folded, once more, for a file that changes it; nobody may be connected meanwhile. */
async function copyDatabase(url: string, name: string): Promise<string> {
  const from = new URL(url).pathname.slice(1);
  const at = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  const admin = postgres(at("postgres"), { max: 1, onnotice: () => {} });
  try {
    await admin`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${from}`;
    await admin.unsafe(`create database ${name} template ${quoted(from)}`);
  } finally {
    await admin.end({ timeout: 2 });
  }
  return at(name);
}

/** The last final block, once the fold has taken all that is final. */
async function allFolded(input: { db: Sql; fold: Part; schema: string; head: number }): Promise<number> {
  const { db, fold, schema, head } = input;
  const foldSchema = foldSchemaName(schema);
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
    if (!fold.isRunning) throw new Error(`the fold ended: ${fold.lines.slice(-5).join("\n")}`);
    const progress = await readProgress(db, schema);
    const [live] = await db`select to_regclass(${`${quoted(foldSchema)}.meta`}) is not null as there`;
    const s = quoted(foldSchema);
    const waiting = `(select count(*)::int from ${s}.island where waiting_block is not null)`;
    const [meta] = live?.there ? await db.unsafe(`select finalized, head, ${waiting} as waiting from ${s}.meta`) : [];
    const isWhole = progress?.isReady === true && progress.head === head && meta?.waiting === 0;
    // what is final ends at most two steps of 30 blocks below the head
    if (isWhole && meta?.head === head && meta.finalized === progress.foldableUpTo && meta.finalized > head - 62)
      return meta.finalized;
  }
  throw new Error(`not folded in time: ${fold.lines.slice(-5).join("\n")}`);
}

/** What the fold's process reads of the chain besides, as much of it as is missing yet. */
async function readTheRest(db: Sql, { rpcUrl, indexer }: { rpcUrl: string; indexer: Indexer }): Promise<void> {
  const connections = { db, client: createPublicClient({ transport: http(rpcUrl) }) };
  const schemas = { ponder: indexer.schema, fold: foldSchemaName(indexer.schema) };
  const log = pino({ level: "silent" });
  const stepReaders = createStepReaders(connections, { chain: indexer.chain, schemas, log });
  for (const readMissing of [...stepReaders, createFarmSettingsReader(connections, schemas)])
    while ((await readMissing()) > 0);
  while ((await storeMissingMetadata(connections, schemas.fold)) > 0);
}
