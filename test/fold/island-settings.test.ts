// What only an island's contract says, read from a node that may refuse: the fold waits for the first attempt and no longer; the
// island catches up alone, while the fold goes on and after it was started again.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { foldFacts, stepsOfChain } from "../support/folded-index.ts";
import { hashOf } from "../support/index-fixture.ts";
import {
  CREATED,
  ISLAND,
  islandChain,
  islandSettings,
  OTHER,
  POOL,
  RENOUNCED,
  storeSettings,
} from "../support/island-script.ts";
import {
  eventually,
  FINALIZED,
  HEAD,
  IDENTITY,
  IslandGround,
  nodeOf,
  SCHEMAS,
  scriptAnswers,
} from "./island-ground.ts";

let ground: IslandGround;

beforeAll(async () => {
  ground = await IslandGround.start();
});
afterAll(() => ground?.database.stop());
beforeEach(() => ground.begin());

describe("an island for which the node refuses to answer", () => {
  it("waits alone: the head goes on, and when the node answers the tables are those of a fold that had it at once", async () => {
    let isRefusing = true;
    const { client } = nodeOf(scriptAnswers((island) => island === ISLAND && isRefusing));
    const fold = ground.startFold(client);
    await eventually(async () => expect(await ground.meta()).toMatchObject({ head: HEAD, finalized: FINALIZED }));
    expect(await ground.waitingBlocks()).toEqual([
      [ISLAND, CREATED],
      [OTHER, null],
    ]);
    expect(await ground.retries()).toMatchObject([
      { island: ISLAND, block: CREATED, block_hash: hashOf(CREATED), last_error: "missing trie node" },
      { island: ISLAND, block: RENOUNCED, block_hash: hashOf(RENOUNCED), last_error: "missing trie node" },
    ]);
    const { revision } = await ground.meta();
    isRefusing = false;
    await ground.wake();
    await eventually(async () => expect((await ground.waitingBlocks())[0]).toEqual([ISLAND, null]));
    await fold.stop();
    expect((await ground.meta()).revision).toBeGreaterThan(revision);
    expect(await ground.retries()).toEqual([]);
    await ground.expectUndisturbed();
  });

  it("still waits after the fold was started again, and goes on from there", async () => {
    let isRefusing = true;
    const { client } = nodeOf(scriptAnswers((island, block) => island === ISLAND && block === RENOUNCED && isRefusing));
    const first = ground.startFold(client);
    await eventually(async () => expect(await ground.meta()).toMatchObject({ head: HEAD }));
    await first.stop();
    expect((await ground.waitingBlocks())[0]).toEqual([ISLAND, RENOUNCED]);
    isRefusing = false;
    await ground.wake();
    const second = ground.startFold(client);
    await eventually(async () => expect((await ground.waitingBlocks())[0]).toEqual([ISLAND, null]));
    await second.stop();
    await ground.expectUndisturbed();
  });

  it("is asked again of the block that took the place of its own, whatever the old one said", async () => {
    const { client, requested } = nodeOf(scriptAnswers((island) => island === ISLAND));
    const fold = ground.startFold(client);
    await eventually(async () => expect((await ground.retries()).length).toBe(2));
    await eventually(async () => expect(await ground.meta()).toMatchObject({ head: HEAD }));
    const other = hashOf(RENOUNCED, 1);
    await ground.database.sql.unsafe(`
      update ${SCHEMAS.fold}.island_settings_retry set next_try = now() + interval '1 hour';
      update ${SCHEMAS.ponder}.block set hash = '${other}' where number = ${RENOUNCED};
      update ${SCHEMAS.ponder}.block set hash = '${hashOf(HEAD, 1)}' where number = ${HEAD}`);
    await eventually(async () => expect(await ground.retries()).toMatchObject([{}, {}, { block_hash: other }]));
    await fold.stop();
    expect(requested).toContain(`${ISLAND} ${other}`);
    const [block] = await ground.database.sql.unsafe(
      `select hash from ${SCHEMAS.fold}.block where number = ${RENOUNCED}`,
    );
    expect(block?.hash).toBe(other);
    expect(await ground.waitingBlocks()).toEqual([
      [ISLAND, CREATED],
      [OTHER, null],
    ]);
  });
});

describe("a fact that a reducer cannot take", () => {
  /** Adds a fact as a node would have reported it, without a value that its kind needs. */
  async function tell(table: string, values: Record<string, string | number | null>): Promise<void> {
    const { sql } = ground.database;
    const place = { block: 10, log_index: 500, tx_index: 9, timestamp: 0 };
    await sql`insert into ${sql(SCHEMAS.ponder)}.${sql(table)} ${sql({ ...place, ...values } as never)}`;
  }
  const stops = (table: string) =>
    ground.database.sql.unsafe(
      `select '0x' || encode(address, 'hex') as address, stopped_block as block, stopped_log as log, stopped_field as field,
              stopped_replayed as replayed from ${SCHEMAS.fold}.${table} where stopped_block is not null`,
    );
  const foldAll = () =>
    foldFacts(
      ground.database.sql,
      {
        ...IDENTITY,
        finalized: FINALIZED,
        prepare: () => storeSettings(ground.database.sql, SCHEMAS.fold, { settings: islandSettings }),
      },
      stepsOfChain(islandChain),
    );

  it("stops its island by name, not the fold", async () => {
    await tell("island_manager", { island: ISLAND, kind: "params", fee_bps: null, treasury: null });
    await foldAll();
    expect(await ground.meta()).toMatchObject({ head: HEAD });
    expect(await stops("island")).toEqual([
      { address: ISLAND, block: 10, log: 500, field: "params", replayed: expect.stringContaining("has no fee_bps") },
    ]);
  });

  it("stops its pool by name, not the fold", async () => {
    const range = { tick_lower: 0, tick_upper: 60, liquidity: "1", amount0: "1", amount1: "1" };
    await tell("v3_liquidity", { pool: POOL, kind: "mint", sender: null, owner: ISLAND, ...range });
    await foldAll();
    expect(await ground.meta()).toMatchObject({ head: HEAD });
    expect(await stops("v3_pool")).toEqual([
      { address: POOL, block: 10, log: 500, field: "mint", replayed: expect.stringContaining("sender") },
    ]);
  });

  it("is left out where it was logged before its island was created", async () => {
    const { sql } = ground.database;
    const early = { block: CREATED - 1, log_index: 500, tx_index: 9, timestamp: 0 };
    const values = { ...early, island: ISLAND, kind: "params", fee_bps: 1, treasury: OTHER };
    await sql`insert into ${sql(SCHEMAS.ponder)}.island_manager ${sql(values as never)}`;
    await foldAll();
    expect(await ground.meta()).toMatchObject({ head: HEAD });
    expect(await stops("island")).toEqual([]);
  });
});
