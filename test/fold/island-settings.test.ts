// What only an island's contract tells, read from a node that may refuse: the fold waits for the first attempt and no longer; the
// island catches up alone, while the fold goes on and after it was started again.
import { pino } from "pino";
import postgres from "postgres";
import {
  type Abi,
  createPublicClient,
  custom,
  encodeFunctionResult,
  type Hex,
  type PublicClient,
  toFunctionSelector,
} from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createFoldLoop } from "../../fold/fold-loop.ts";
import { islandViewAbi } from "../../fold/island/island-views.ts";
import { createSettingsReader } from "../../fold/island/settings-reader.ts";
import { sequence } from "../../fold/sequential-step.ts";
import { createSteps } from "../../fold/steps.ts";
import { deploymentDdl, quoted } from "../../fold/tables.ts";
import { foldFacts, setCheckpoint, stepsOfChain } from "../support/folded-index.ts";
import { createFactTables, dropIndex, hashOf, insertBlocks } from "../support/index-fixture.ts";
import {
  CREATED,
  ISLAND,
  islandChain,
  islandScript,
  islandSettings,
  OTHER,
  POOL,
  RENOUNCED,
  storeSettings,
} from "../support/island-script.ts";
import type { Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { foldDifferences } from "./reorgs/fold-differences.ts";

const SCHEMAS = { ponder: "facts_settings", fold: "fold_settings" };
const IDENTITY = { chainId: 31337, ponderSchema: SCHEMAS.ponder, foldSchema: SCHEMAS.fold, firstBlock: 0 };
const FRESH = "fold_settings_fresh";
const HEAD = 20;
const FINALIZED = 8;
const silent = pino({ level: "silent" });

let database: TestDatabase;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database?.stop());

async function insertRows(script: Script): Promise<void> {
  const { sql } = database;
  for (const { table, values } of script.rows)
    await sql`insert into ${sql(SCHEMAS.ponder)}.${sql(table)} ${sql(values as Record<string, string>)}`;
}

beforeEach(async () => {
  const { sql } = database;
  for (const foldSchema of [SCHEMAS.fold, FRESH]) await dropIndex(sql, { ...IDENTITY, foldSchema });
  await sql.unsafe(`${deploymentDdl}; delete from tidemark.live; delete from tidemark.build`);
  await createFactTables(sql, SCHEMAS.ponder);
  await insertBlocks(sql, SCHEMAS.ponder, { from: 0, to: HEAD });
  await insertRows(islandScript());
  await setCheckpoint(sql, SCHEMAS.ponder, FINALIZED + 1);
});

/** Answers of the script's islands by block hash; `refused`: it does not answer for the island there. */
function nodeOf(refused: (island: string, block: number) => boolean): { client: PublicClient; requested: string[] } {
  const requested: string[] = [];
  const places = islandSettings.map((one) => ({ ...one, hash: hashOf(one.block) }));
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    const [call, at] = (params ?? []) as [{ to: string; data: Hex }, { blockHash?: string } | string];
    if (method !== "eth_call" || typeof at !== "object") throw new Error("missing trie node");
    requested.push(`${call.to} ${at.blockHash}`);
    const place = places.find(({ island, hash }) => island === call.to && hash === at.blockHash);
    if (place === undefined || refused(place.island, place.block)) throw new Error("missing trie node");
    const values: Record<string, unknown> = {
      ...{ lowerTick: place.tickLower, upperTick: place.tickUpper },
      ...{ managerFeeBPS: place.managerFeeBps, managerTreasury: place.treasury },
    };
    const view = islandViewAbi.find(({ name }) => toFunctionSelector(`${name}()`) === call.data)!;
    return encodeFunctionResult({ abi: islandViewAbi as Abi, functionName: view.name, result: values[view.name] });
  };
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
  return { client: client as PublicClient, requested };
}

const retries = () =>
  database.sql.unsafe(
    `select '0x' || encode(address, 'hex') as island, block, block_hash, attempts, last_error
       from ${SCHEMAS.fold}.island_settings_retry order by block, block_hash`,
  );
const waitingBlocks = async () => {
  const rows = await database.sql.unsafe(
    `select '0x' || encode(address, 'hex') as island, waiting_block from ${SCHEMAS.fold}.island order by id`,
  );
  return rows.map(({ island, waiting_block }) => [island, waiting_block]);
};
const meta = async () => {
  const [row] = await database.sql.unsafe(`select head, finalized, revision from ${SCHEMAS.fold}.meta`);
  return { head: Number(row?.head), finalized: Number(row?.finalized), revision: Number(row?.revision) };
};
const wake = () => database.sql.unsafe(`update ${SCHEMAS.fold}.island_settings_retry set next_try = now()`);

/** The fold's process, with its reader of the chain beside it, until `stop`. */
function startFold(client: PublicClient) {
  const connect = () => postgres(database.url, { max: 1, onnotice: () => {} });
  const [db, reader] = [connect(), connect()];
  const steps = sequence(db, SCHEMAS.fold, createSteps(db, { chain: islandChain, schemas: SCHEMAS, log: silent }));
  const settings = createSettingsReader({ db: reader, client }, SCHEMAS);
  const readMissing = () => settings.readMissing().catch(() => 0);
  const loop = createFoldLoop(db, { identity: IDENTITY, steps, log: silent, readMissing });
  let isRunning = true;
  const reading = async () => {
    while (isRunning) {
      await readMissing();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const work = Promise.all([loop.run(), reading()]);
  return {
    async stop() {
      isRunning = false;
      loop.stop();
      await work;
      await Promise.all([db.end(), reader.end()]);
    },
  };
}

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 50 });

/** A fold to which every island was read at once. */
async function expectUndisturbed(): Promise<void> {
  const { sql } = database;
  const prepare = () => storeSettings(sql, FRESH, { settings: islandSettings });
  await foldFacts(sql, { ...IDENTITY, foldSchema: FRESH, finalized: FINALIZED, prepare }, stepsOfChain(islandChain));
  await sql.unsafe(`delete from ${quoted(SCHEMAS.fold)}.token; delete from ${quoted(FRESH)}.token`);
  expect(await foldDifferences(sql, { followed: SCHEMAS.fold, fresh: FRESH })).toEqual([]);
}

describe("an island for which the node refuses to answer", () => {
  it("waits alone: the head goes on, and when the node answers the tables are those of a fold that had it at once", async () => {
    let isRefusing = true;
    const { client } = nodeOf((island) => island === ISLAND && isRefusing);
    const fold = startFold(client);
    await eventually(async () => expect(await meta()).toMatchObject({ head: HEAD, finalized: FINALIZED }));
    expect(await waitingBlocks()).toEqual([
      [ISLAND, CREATED],
      [OTHER, null],
    ]);
    expect(await retries()).toMatchObject([
      { island: ISLAND, block: CREATED, block_hash: hashOf(CREATED), last_error: "missing trie node" },
      { island: ISLAND, block: RENOUNCED, block_hash: hashOf(RENOUNCED), last_error: "missing trie node" },
    ]);
    const { revision } = await meta();
    isRefusing = false;
    await wake();
    await eventually(async () => expect((await waitingBlocks())[0]).toEqual([ISLAND, null]));
    await fold.stop();
    expect((await meta()).revision).toBeGreaterThan(revision);
    expect(await retries()).toEqual([]);
    await expectUndisturbed();
  }, 60_000);

  it("still waits after the fold was started again, and goes on from there", async () => {
    let isRefusing = true;
    const { client } = nodeOf((island, block) => island === ISLAND && block === RENOUNCED && isRefusing);
    const first = startFold(client);
    await eventually(async () => expect(await meta()).toMatchObject({ head: HEAD }));
    await first.stop();
    expect((await waitingBlocks())[0]).toEqual([ISLAND, RENOUNCED]);
    isRefusing = false;
    await wake();
    const second = startFold(client);
    await eventually(async () => expect((await waitingBlocks())[0]).toEqual([ISLAND, null]));
    await second.stop();
    await expectUndisturbed();
  }, 60_000);

  it("is asked again of the block that took the place of its own, whatever the old one said", async () => {
    const { client, requested } = nodeOf((island) => island === ISLAND);
    const fold = startFold(client);
    await eventually(async () => expect((await retries()).length).toBe(2));
    await eventually(async () => expect(await meta()).toMatchObject({ head: HEAD }));
    const other = hashOf(RENOUNCED, 1);
    await database.sql.unsafe(`
      update ${SCHEMAS.fold}.island_settings_retry set next_try = now() + interval '1 hour';
      update ${SCHEMAS.ponder}.block set hash = '${other}' where number = ${RENOUNCED};
      update ${SCHEMAS.ponder}.block set hash = '${hashOf(HEAD, 1)}' where number = ${HEAD}`);
    await eventually(async () => expect(await retries()).toMatchObject([{}, {}, { block_hash: other }]));
    await fold.stop();
    expect(requested).toContain(`${ISLAND} ${other}`);
    const [block] = await database.sql.unsafe(`select hash from ${SCHEMAS.fold}.block where number = ${RENOUNCED}`);
    expect(block?.hash).toBe(other);
    expect(await waitingBlocks()).toEqual([
      [ISLAND, CREATED],
      [OTHER, null],
    ]);
  }, 60_000);
});

describe("a fact that a reducer cannot take", () => {
  /** As a node would have told it: of a kind that needs what it does not have. */
  async function tell(table: string, values: Record<string, string | number | null>): Promise<void> {
    const { sql } = database;
    const place = { block: 10, log_index: 500, tx_index: 9, timestamp: 0 };
    await sql`insert into ${sql(SCHEMAS.ponder)}.${sql(table)} ${sql({ ...place, ...values } as never)}`;
  }
  const stops = (table: string) =>
    database.sql.unsafe(
      `select '0x' || encode(address, 'hex') as address, stopped_block as block, stopped_log as log, stopped_field as field,
              stopped_replayed as replayed from ${SCHEMAS.fold}.${table} where stopped_block is not null`,
    );
  const foldAll = () =>
    foldFacts(
      database.sql,
      {
        ...IDENTITY,
        finalized: FINALIZED,
        prepare: () => storeSettings(database.sql, SCHEMAS.fold, { settings: islandSettings }),
      },
      stepsOfChain(islandChain),
    );

  it("stops its island by name, not the fold", async () => {
    await tell("island_manager", { island: ISLAND, kind: "params", fee_bps: null, treasury: null });
    await foldAll();
    expect(await meta()).toMatchObject({ head: HEAD });
    expect(await stops("island")).toEqual([
      { address: ISLAND, block: 10, log: 500, field: "params", replayed: expect.stringContaining("has no fee_bps") },
    ]);
  });

  it("stops its pool by name, not the fold", async () => {
    const range = { tick_lower: 0, tick_upper: 60, liquidity: "1", amount0: "1", amount1: "1" };
    await tell("v3_liquidity", { pool: POOL, kind: "mint", sender: null, owner: ISLAND, ...range });
    await foldAll();
    expect(await meta()).toMatchObject({ head: HEAD });
    expect(await stops("v3_pool")).toEqual([
      { address: POOL, block: 10, log: 500, field: "mint", replayed: expect.stringContaining("sender") },
    ]);
  });

  it("is left out where it was logged before its island was created", async () => {
    const { sql } = database;
    const early = { block: CREATED - 1, log_index: 500, tx_index: 9, timestamp: 0 };
    const values = { ...early, island: ISLAND, kind: "params", fee_bps: 1, treasury: OTHER };
    await sql`insert into ${sql(SCHEMAS.ponder)}.island_manager ${sql(values as never)}`;
    await foldAll();
    expect(await meta()).toMatchObject({ head: HEAD });
    expect(await stops("island")).toEqual([]);
  });
});
