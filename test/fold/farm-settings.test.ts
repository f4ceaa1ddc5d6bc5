// What farms pay and until when: read at the blocks that changed it, of that very branch of the chain; and shown as of any
// block, unless it could not be read.
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Address,
  createPublicClient,
  custom,
  encodeAbiParameters,
  type Hex,
  type PublicClient,
  toFunctionSelector,
} from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFarmSettingsReader } from "../../fold/farm/settings-reader.ts";
import { deploymentDdl } from "../../fold/tables.ts";
import { farmsAt } from "../../gateway/protocols/farm/settings-at.ts";
import { foldFacts, followFacts, setCheckpoint } from "../support/folded-index.ts";
import { createFactTables, dropIndex, hashOf, insertBlocks, timestampOf } from "../support/index-fixture.ts";
import { tokenOf } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const SCHEMAS = { ponder: "facts_farms", fold: "fold_farms" };
const INDEX = { ponderSchema: SCHEMAS.ponder, foldSchema: SCHEMAS.fold };
const [FARM, SHARE, KDK, HONEY, OTHER] = [1, 2, 3, 4, 5].map(tokenOf) as [Address, Address, Address, Address, Address];
const HEAD = 30;
const FINALIZED = 20;

let database: TestDatabase;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database?.stop());

const place = (block: number, log = 1) => ({ block, log_index: log, tx_index: 0, timestamp: timestampOf(block) });

const insert = (table: string, values: Record<string, string | number | object | null>) =>
  database.sql`insert into ${database.sql(SCHEMAS.ponder)}.${database.sql(table)} ${database.sql(values as never)}`;

/** Made in block 5, started in 7, a rate changed in 12, a period renewed in 25, which is not final. */
beforeEach(async () => {
  const { sql } = database;
  await dropIndex(sql, INDEX);
  await sql.unsafe(deploymentDdl);
  await createFactTables(sql, SCHEMAS.ponder);
  await insertBlocks(sql, SCHEMAS.ponder, { from: 0, to: HEAD });
  await insert("vault_created", { ...place(5), factory: OTHER, vault: FARM, kind: "farm" });
  await insert("other_event", { ...place(7), contract: FARM, event: "FarmStarted", args: {} });
  // another contract's event of that name is nobody's start
  await insert("other_event", { ...place(8), contract: OTHER, event: "FarmStarted", args: {} });
  await insert("reward", { ...place(12), vault: FARM, protocol: "farm", kind: "rate", token: KDK, amount: "7" });
  await insert("reward", { ...place(25), vault: FARM, protocol: "farm", kind: "renewed", token: KDK });
  await insert("reward", { ...place(26), vault: FARM, protocol: "farm", kind: "paid", token: KDK, amount: "1" });
  await foldFacts(sql, { ...INDEX, chainId: 31337, firstBlock: 0, weth9: [], erc4626: [], finalized: FINALIZED });
});

interface Reported {
  periodFinish: bigint;
  tokens: readonly Address[];
  rates: readonly bigint[];
}

/** A node that answers for the blocks it knows, by hash. */
function nodeOf(reported: ReadonlyMap<string, Reported>): Requests & { client: PublicClient } {
  const requested = new Set<string>();
  /** Farms about which it is just being asked and answers. */
  const answering: string[] = [];
  let together = 0;
  const answers: Record<Hex, (reported: Reported) => Hex> = {
    [toFunctionSelector("stakingToken()")]: () => encodeAbiParameters([{ type: "address" }], [SHARE]),
    [toFunctionSelector("periodFinish()")]: ({ periodFinish }) =>
      encodeAbiParameters([{ type: "uint256" }], [periodFinish]),
    [toFunctionSelector("getAllRewardTokens()")]: ({ tokens }) =>
      encodeAbiParameters([{ type: "address[]" }], [tokens]),
    [toFunctionSelector("getAllRewardRates()")]: ({ rates }) => encodeAbiParameters([{ type: "uint256[]" }], [rates]),
  };
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    const [call, at] = (params ?? []) as [{ to: string; data: Hex }, { blockHash?: string } | string];
    const found = method === "eth_call" && typeof at === "object" ? reported.get(String(at.blockHash)) : undefined;
    if (typeof at === "object") requested.add(String(at.blockHash));
    if (!found) throw new Error("missing trie node");
    answering.push(call.to);
    together = Math.max(together, new Set(answering).size);
    await sleep(5);
    answering.splice(answering.indexOf(call.to), 1);
    return answers[call.data]?.(found);
  };
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
  return { client: client as PublicClient, requested, together: () => together };
}

interface Requests {
  requested: Set<string>;
  /** The most farms about which it was asked, and answered, at one time. */
  together(): number;
}

async function readOnce(reported: ReadonlyMap<string, Reported>): Promise<Requests & { stored: number }> {
  const { client, ...requests } = nodeOf(reported);
  const db = await database.sql.reserve();
  try {
    const stored = await createFarmSettingsReader({ db, client }, SCHEMAS)();
    await db.unsafe(`update ${SCHEMAS.fold}.farm_settings_retry set next_try = now() - interval '1 second'`);
    return { stored, ...requests };
  } finally {
    db.release();
  }
}

async function farmAt(block: number) {
  const rows = <T>(text: string) => database.sql.unsafe(text) as unknown as Promise<T[]>;
  const scope = { rows, fold: SCHEMAS.fold, state: {} };
  const withFacts = <T>(read: (facts: typeof scope) => Promise<T>) => read(scope);
  const farms = await farmsAt({ ...scope, withFacts } as never, block);
  return farms.get(FARM);
}

const MADE = { periodFinish: 0n, tokens: [KDK, HONEY], rates: [5n, 6n] };
const STARTED = { ...MADE, periodFinish: 1_000n };
const CHANGED = { ...STARTED, rates: [7n, 6n] };
const RENEWED = { ...CHANGED, periodFinish: 2_000n };
const ALL = new Map<string, Reported>([
  [hashOf(5), MADE],
  [hashOf(7), STARTED],
  [hashOf(12), CHANGED],
  [hashOf(25), RENEWED],
]);

const shownAs = ({ periodFinish, tokens, rates }: Reported) => ({
  ...{ stakingToken: SHARE, periodFinish },
  rewards: tokens.map((token, i) => ({ token, rate: rates[i] })),
});

describe("a farm's rates", () => {
  it("are read once at every block that changed them, and shown as of any block", async () => {
    const { stored, requested } = await readOnce(ALL);
    expect(stored).toBe(4);
    expect([...requested].sort()).toEqual([...ALL.keys()].sort());
    expect((await readOnce(ALL)).requested.size).toBe(0);
    expect(await farmAt(4)).toBeUndefined();
    for (const [block, expected] of [
      [5, MADE],
      [6, MADE],
      [7, STARTED],
      [11, STARTED],
      [12, CHANGED],
      [24, CHANGED],
      [25, RENEWED],
      [HEAD, RENEWED],
    ] as const)
      expect(await farmAt(block), `block ${block}`).toEqual(shownAs(expected));
  });

  it("are not shown from a block on that could not be read, until it can", async () => {
    const without = new Map([...ALL].filter(([hash]) => hash !== hashOf(12)));
    expect((await readOnce(without)).stored).toBe(3);
    expect(await farmAt(11)).toEqual(shownAs(STARTED));
    expect(await farmAt(12)).toBeUndefined();
    expect(await farmAt(24)).toBeUndefined();
    expect(await farmAt(25)).toEqual(shownAs(RENEWED));
    expect((await readOnce(ALL)).requested).toEqual(new Set([hashOf(12)]));
    expect(await farmAt(24)).toEqual(shownAs(CHANGED));
    expect(await database.sql.unsafe(`select * from ${SCHEMAS.fold}.farm_settings_retry`)).toEqual([]);
  });

  it("are read at a later block up to which nothing changed them, where the node has no older state", async () => {
    const [before12, newest] = [hashOf(11), hashOf(HEAD)];
    const pruned = new Map<string, Reported>([
      [before12, STARTED],
      [newest, RENEWED],
    ]);
    expect((await readOnce(pruned)).stored).toBe(2);
    for (const block of [4, 5, 6, 12, 24]) expect(await farmAt(block), `block ${block}`).toBeUndefined();
    for (const block of [7, 11]) expect(await farmAt(block), `block ${block}`).toEqual(shownAs(STARTED));
    for (const block of [25, HEAD]) expect(await farmAt(block), `block ${block}`).toEqual(shownAs(RENEWED));
    const waiting = `select block, last_error from ${SCHEMAS.fold}.farm_settings_retry order by block`;
    expect(await database.sql.unsafe(waiting)).toMatchObject([
      { block: 5, last_error: expect.stringContaining("missing trie node") },
      { block: 12, last_error: expect.stringContaining("missing trie node") },
    ]);
    // given a node with all states
    expect((await readOnce(ALL)).stored).toBe(2);
    expect(await farmAt(6)).toEqual(shownAs(MADE));
    expect(await farmAt(24)).toEqual(shownAs(CHANGED));
    expect(await database.sql.unsafe(waiting)).toEqual([]);
  });

  it("are read side by side at later blocks too, as a slow node would otherwise be waited for once per farm", async () => {
    await insert("vault_created", { ...place(26), factory: OTHER, vault: tokenOf(6), kind: "farm" });
    const { stored, together } = await readOnce(new Map([[hashOf(HEAD), RENEWED]]));
    expect([stored, together()]).toEqual([2, 2]);
  });

  it("replace stored answers once they are read, even when the rest of the turn fails", async () => {
    const { sql } = database;
    const revision = async () => Number((await sql`select revision from ${sql(SCHEMAS.fold)}.meta`)[0]?.revision);
    const before = await revision();
    await sql.unsafe(
      `create function ${SCHEMAS.fold}.refuse() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
       create trigger refuse before insert on ${SCHEMAS.fold}.farm_settings_retry
         for each row execute function ${SCHEMAS.fold}.refuse()`,
    );
    const reported = { periodFinish: 9n, tokens: [KDK], rates: [1n] };
    await expect(readOnce(new Map([[hashOf(7), reported]]))).rejects.toThrow("disk full");
    expect((await sql`select block from ${sql(SCHEMAS.fold)}.farm_settings`).map(({ block }) => block)).toEqual([7]);
    expect(await revision()).toBeGreaterThan(before);
  });

  it("are not shown before anything has been read", async () => {
    expect(await farmAt(10)).toBeUndefined();
    expect(await farmAt(HEAD)).toBeUndefined();
  });

  it("are read again where the chain has replaced the block, and never shown from the other branch", async () => {
    await readOnce(ALL);
    await database.sql.unsafe(`update ${SCHEMAS.ponder}.block set hash = '${hashOf(25, 1)}' where number = 25`);
    await followFacts(database.sql, INDEX);
    expect(await farmAt(24)).toEqual(shownAs(CHANGED));
    expect(await farmAt(25)).toBeUndefined();
    const other = { ...RENEWED, rates: [1n, 1n] };
    expect((await readOnce(new Map([...ALL, [hashOf(25, 1), other]]))).requested).toEqual(new Set([hashOf(25, 1)]));
    expect(await farmAt(25)).toEqual(shownAs(other));
    // the event moves to another block, and what was read is final by then
    await database.sql.unsafe(`update ${SCHEMAS.ponder}.reward set block = 24 where block = 25;
      update ${SCHEMAS.ponder}.block set hash = '${hashOf(24, 2)}' where number = 24;
      update ${SCHEMAS.ponder}.block set hash = '${hashOf(25, 2)}' where number = 25`);
    await followFacts(database.sql, INDEX);
    await setCheckpoint(database.sql, SCHEMAS.ponder, 29);
    await followFacts(database.sql, INDEX);
    await readOnce(new Map([...ALL, [hashOf(24, 2), RENEWED]]));
    expect(await farmAt(29)).toEqual(shownAs(RENEWED));
  });
});
