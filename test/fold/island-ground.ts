// A fold of the island script, with its reader of the chain beside it, against a node that answers what a test lets it.
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
import { expect, vi } from "vitest";
import { undelayed } from "../../database/undelayed.ts";
import { FoldLoop } from "../../fold/fold-loop.ts";
import { islandViewAbi } from "../../fold/island/island-views.ts";
import { createIslandSettingsReader } from "../../fold/island/settings-reader.ts";
import { type StepSequence, sequence } from "../../fold/sequential-step.ts";
import { createSteps } from "../../fold/steps.ts";
import { deploymentDdl, quoted } from "../../fold/tables.ts";
import { foldFacts, setCheckpoint, stepsOfChain } from "../support/folded-index.ts";
import { createFactTables, dropIndex, hashOf, insertBlocks } from "../support/index-fixture.ts";
import {
  type AnsweredSettings,
  islandChain,
  islandScript,
  islandSettings,
  storeSettings,
} from "../support/island-script.ts";
import type { Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { foldDifferences } from "./reorgs/fold-differences.ts";

export const SCHEMAS = { ponder: "facts_settings", fold: "fold_settings" };
export const IDENTITY = {
  chainId: 31337,
  ponderSchema: SCHEMAS.ponder,
  foldSchema: SCHEMAS.fold,
  firstBlock: 0,
  weth9: [],
  erc4626: [],
};
const FRESH = "fold_settings_fresh";
export const HEAD = 20;
export const FINALIZED = 8;
const silent = pino({ level: "silent" });

/** What a node answers for `island` at the end of `block`. @throws Error where it does not answer */
export type Answers = (island: string, block: number) => AnsweredSettings;

export class IslandGround {
  readonly database: TestDatabase;

  constructor(database: TestDatabase) {
    this.database = database;
  }

  static async start(): Promise<IslandGround> {
    return new IslandGround(await startTestDatabase());
  }

  /** Facts of the script alone, and no fold. */
  async begin(): Promise<void> {
    const { sql } = this.database;
    for (const foldSchema of [SCHEMAS.fold, FRESH]) await dropIndex(sql, { ...IDENTITY, foldSchema });
    await sql.unsafe(`${deploymentDdl}; delete from tidemark.live; delete from tidemark.build`);
    await createFactTables(sql, SCHEMAS.ponder);
    await insertBlocks(sql, SCHEMAS.ponder, { from: 0, to: HEAD });
    await this.#insertRows(islandScript());
    await setCheckpoint(sql, SCHEMAS.ponder, FINALIZED + 1);
  }

  async #insertRows(script: Script): Promise<void> {
    const { sql } = this.database;
    for (const { table, values } of script.rows)
      await sql`insert into ${sql(SCHEMAS.ponder)}.${sql(table)} ${sql(values as Record<string, string>)}`;
  }

  retries() {
    return this.database.sql.unsafe(
      `select '0x' || encode(address, 'hex') as island, block, block_hash, attempts, last_error
         from ${SCHEMAS.fold}.island_settings_retry order by block, block_hash`,
    );
  }

  /** By island: the block that it waits for, and the first one at which something is not determined. */
  async standing(): Promise<unknown[][]> {
    const rows = await this.database.sql.unsafe(
      `select '0x' || encode(address, 'hex') as island, waiting_block, undetermined_block from ${SCHEMAS.fold}.island order by id`,
    );
    return rows.map(({ island, waiting_block, undetermined_block }) => [island, waiting_block, undetermined_block]);
  }

  async waitingBlocks(): Promise<unknown[][]> {
    return (await this.standing()).map(([island, waiting]) => [island, waiting]);
  }

  async meta() {
    const [row] = await this.database.sql.unsafe(`select head, finalized, revision from ${SCHEMAS.fold}.meta`);
    return { head: Number(row?.head), finalized: Number(row?.finalized), revision: Number(row?.revision) };
  }

  wake() {
    return this.database.sql.unsafe(`update ${SCHEMAS.fold}.island_settings_retry set next_try = now()`);
  }

  /** The fold's process, with its reader of the chain beside it, until `stop`; `change`: of what its steps do. */
  startFold(client: PublicClient, change = (steps: StepSequence) => steps) {
    const connect = () => postgres(this.database.url, { max: 1, ...undelayed(), onnotice: () => {} });
    const [db, reader] = [connect(), connect()];
    const created = createSteps(db, { chain: islandChain, schemas: SCHEMAS, log: silent });
    const steps = change(sequence(db, SCHEMAS.fold, created));
    const readSettings = createIslandSettingsReader({ db: reader, client }, SCHEMAS);
    const readMissing = () => readSettings().catch(() => 0);
    const loop = new FoldLoop(db, { identity: IDENTITY, steps, log: silent, readMissing });
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

  /** The tables are those of a fold to which every island was read at once. */
  async expectUndisturbed(): Promise<void> {
    const { sql } = this.database;
    const prepare = () => storeSettings(sql, FRESH, { settings: islandSettings });
    await foldFacts(sql, { ...IDENTITY, foldSchema: FRESH, finalized: FINALIZED, prepare }, stepsOfChain(islandChain));
    await sql.unsafe(`delete from ${quoted(SCHEMAS.fold)}.token; delete from ${quoted(FRESH)}.token`);
    expect(await foldDifferences(sql, { followed: SCHEMAS.fold, fresh: FRESH })).toEqual([]);
  }
}

/** A stand-in for a JSON-RPC node (facts/chain.md 1.2): island views by block hash, as `answers` gives them. */
export function nodeOf(answers: Answers): { client: PublicClient; requested: string[] } {
  const requested: string[] = [];
  const blocks = new Map(Array.from({ length: HEAD + 1 }, (_, block) => [hashOf(block), block]));
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    const [call, at] = (params ?? []) as [{ to: string; data: Hex }, { blockHash?: string } | string];
    if (method === "eth_blockNumber") return `0x${HEAD.toString(16)}`;
    if (method !== "eth_call" || typeof at !== "object") throw new Error("missing trie node");
    requested.push(`${call.to} ${at.blockHash}`);
    const block = blocks.get(at.blockHash ?? "");
    if (block === undefined) throw new Error("missing trie node");
    const { tickLower, tickUpper, managerFeeBps, treasury } = answers(call.to, block);
    const values: Record<string, unknown> = {
      ...{ lowerTick: tickLower, upperTick: tickUpper, managerFeeBPS: managerFeeBps, managerTreasury: treasury },
    };
    const view = islandViewAbi.find(({ name }) => toFunctionSelector(`${name}()`) === call.data)!;
    return encodeFunctionResult({ abi: islandViewAbi as Abi, functionName: view.name, result: values[view.name] });
  };
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
  return { client: client as PublicClient, requested };
}

/** What the script's islands say where no event does; `refused`: the node does not answer for the island there. */
export const scriptAnswers =
  (refused: (island: string, block: number) => boolean): Answers =>
  (island, block) => {
    const place = islandSettings.find((one) => one.island === island && one.block === block);
    if (place === undefined || refused(island, block)) throw new Error("missing trie node");
    return place;
  };

export const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 50 });
