// What the launcher puts right in the database before Ponder starts: checkpoints, locks, another chain's leftovers.
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { guardInstance, OtherGenesisError, resetChain } from "../../launcher/chain/instance-guard.ts";
import { clearLock, prepareSchema, rewindCheckpoints, rewoundText } from "../../launcher/ponder/schema.ts";
import { readIndexProgress } from "../../launcher/terminal/index-progress.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let sql: postgres.Sql;
const S = "facts_31337_abc";

beforeAll(async () => {
  database = await startTestDatabase();
  ({ sql } = database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  await sql.unsafe(
    `drop schema if exists ${S}, ponder_sync, tidemark, fold_31337_x, facts_313371_y, facts_80094_z cascade`,
  );
});

/** Ponder 0.17.7's encoding: timestamp 10, chain 16, block 16, transaction 16, event type 1, event 16. */
const checkpoint = (timestamp: number, block: number, tail = "9".repeat(33)): string =>
  `${String(timestamp).padStart(10, "0")}${"31337".padStart(16, "0")}${String(block).padStart(16, "0")}${tail}`;

interface Tables {
  blocks: number;
  at: { safe: string; latest: string; finalized: string };
  isReady?: 0 | 1;
}

/** Ponder's tables with block n at time 1000 + n. */
async function makeTables({ blocks, at, isReady = 0 }: Tables): Promise<void> {
  await sql.unsafe(`
    create schema ${S};
    create table ${S}.block (number int primary key, hash text, timestamp int);
    insert into ${S}.block select n, '0x', 1000 + n from generate_series(0, ${blocks - 1}) n;
    create table ${S}._ponder_meta (key text primary key, value jsonb);
    insert into ${S}._ponder_meta values ('app', '{"is_locked": 1, "is_ready": ${isReady}, "build_id": "b"}');
    create table ${S}._ponder_checkpoint (chain_name text, chain_id int8 primary key, safe_checkpoint varchar(75),
      latest_checkpoint varchar(75), finalized_checkpoint varchar(75));
    insert into ${S}._ponder_checkpoint values ('c', 31337, '${at.safe}', '${at.latest}', '${at.finalized}')`);
}
const readCheckpoints = async () => {
  const [row] = await sql.unsafe(
    `select safe_checkpoint as safe, latest_checkpoint as latest, finalized_checkpoint as finalized from ${S}._ponder_checkpoint`,
  );
  return row && { ...row };
};
const all = (value: string) => ({ safe: value, latest: value, finalized: value });

/** Does `work` on a session whose connection is lost while it waits for `table`; what it has not done by then is never done. */
async function whileLost(table: string, work: (session: postgres.Sql) => Promise<unknown>): Promise<void> {
  const { hostname, port } = new URL(database.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const session = postgres(database.url, {
    ...{ max: 1, onnotice: () => {}, socket: () => socket },
    connection: { application_name: "to be lost" },
  } as postgres.Options<Record<string, never>>);
  await sql.begin(async (tx) => {
    await tx.unsafe(`lock table ${table} in access exclusive mode`);
    const failure = work(session).then(
      () => undefined,
      (error: unknown) => error,
    );
    const waiting = () =>
      sql`select pid from pg_stat_activity where application_name = 'to be lost' and wait_event_type = 'Lock'`;
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 60_000, interval: 20 });
    socket.destroy();
    expect(await failure).toMatchObject({ code: "CONNECTION_CLOSED" });
    await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'to be lost'`;
  });
  // what nobody could catch would be thrown by now
  await sleep(100);
  await session.end({ timeout: 1 });
}

describe("rewindCheckpoints", () => {
  it("takes a checkpoint that is one block ahead of the rows back to the last block with facts", async () => {
    await makeTables({ blocks: 102, at: all(checkpoint(1102, 102)) });
    expect(await rewindCheckpoints(sql, S)).toBe(101);
    const rewound = await readCheckpoints();
    expect(rewound).toEqual(all(checkpoint(1101, 101)));
    expect(String(rewound?.safe)).toHaveLength(75);
  });

  it("rewinds each checkpoint for itself and moves none forward", async () => {
    await makeTables({
      blocks: 102,
      at: { safe: checkpoint(1072, 72), latest: checkpoint(1130, 130), finalized: checkpoint(1072, 72) },
    });
    expect(await rewindCheckpoints(sql, S)).toBe(101);
    expect(await readCheckpoints()).toEqual({
      safe: checkpoint(1072, 72),
      latest: checkpoint(1101, 101),
      finalized: checkpoint(1072, 72),
    });
  });

  it("changes nothing when nothing was lost", async () => {
    const inside = checkpoint(1101, 101, `${"3".padStart(16, "0")}5${"7".padStart(16, "0")}`);
    await makeTables({ blocks: 102, at: all(inside) });
    expect(await rewindCheckpoints(sql, S)).toBeUndefined();
    expect(await readCheckpoints()).toEqual(all(inside));
  });

  it("leaves a finished backfill alone", async () => {
    await makeTables({ blocks: 102, at: all(checkpoint(1102, 102)), isReady: 1 });
    expect(await rewindCheckpoints(sql, S)).toBeUndefined();
    expect(await readCheckpoints()).toEqual(all(checkpoint(1102, 102)));
  });

  it("forgets checkpoints when there are no facts at all, and does not name a block that there is not", async () => {
    await makeTables({ blocks: 0, at: all(checkpoint(1002, 2)) });
    const rewound = await rewindCheckpoints(sql, S);
    expect(rewound && rewoundText(rewound)).toBe(
      "Ponder's checkpoints had no rows: it begins at the first block again",
    );
    expect(await readCheckpoints()).toBeUndefined();
  });

  it("fails with an error that can be caught where its connection is lost", async () => {
    await makeTables({ blocks: 102, at: all(checkpoint(1102, 102)) });
    await whileLost(`${S}.block`, (session) => rewindCheckpoints(session, S));
    expect(await readCheckpoints()).toEqual(all(checkpoint(1102, 102)));
  });

  it("has nothing to do before Ponder made its tables", async () => {
    expect(await rewindCheckpoints(sql, S)).toBeUndefined();
    expect(await prepareSchema(sql, S)).toEqual({ isNew: true, freed: false, rewoundTo: undefined });
  });
});

describe("the lock", () => {
  const isLocked = async () =>
    (await sql.unsafe(`select value->'is_locked' as locked from ${S}._ponder_meta`))[0]?.locked;

  it("of a dead Ponder is cleared", async () => {
    await makeTables({ blocks: 3, at: all(checkpoint(1002, 2)) });
    expect(await clearLock(sql, S)).toBe(true);
    expect(await isLocked()).toBe(0);
    expect(await clearLock(sql, S)).toBe(false);
  });

  it("of a Ponder that is still connected is respected", async () => {
    await makeTables({ blocks: 3, at: all(checkpoint(1002, 2)) });
    const ponder = postgres(database.url, { max: 1, connection: { application_name: `${S}_internal` } });
    await ponder`select 1`;
    expect(await prepareSchema(sql, S, 300)).toMatchObject({ freed: false });
    expect(await isLocked()).toBe(1);
    await ponder.end({ timeout: 1 });
    expect(await prepareSchema(sql, S)).toMatchObject({ freed: true });
  });
});

describe("guardInstance", () => {
  const devnet = { chainId: 31337, instance: "one", isReplaceable: true };

  /** The cache and the schemas of chain 31337, and of two chains whose ids look alike or differ. */
  async function fill(otherChain: boolean): Promise<void> {
    await sql.unsafe(`
      create schema ${S}; create schema fold_31337_x; create schema facts_313371_y; create schema facts_80094_z;
      create schema ponder_sync;
      create table ponder_sync.intervals (fragment_id text, chain_id int8);
      create table ponder_sync.blocks (chain_id int8, number int8);
      create table ponder_sync.factories (id int, factory jsonb);
      insert into ponder_sync.blocks values (31337, 1);
      insert into tidemark.live values (31337, '${S}', 'fold_31337_x'), (80094, 'facts_80094_z', 'f')`);
    if (otherChain) await sql`insert into ponder_sync.blocks values (80094, 1)`;
  }
  const schemas = async () =>
    (await sql`select nspname from pg_namespace where nspname ~ '^(facts|fold|ponder)_' order by 1`).map(
      ({ nspname }) => nspname,
    );

  it("keeps everything of the same instance", async () => {
    expect(await guardInstance(sql, devnet)).toBeUndefined();
    await fill(false);
    expect(await guardInstance(sql, devnet)).toBeUndefined();
    expect(await schemas()).toEqual(["facts_313371_y", S, "facts_80094_z", "fold_31337_x", "ponder_sync"].sort());
  });

  it("drops nothing of another instance that somebody still writes, and says who", async () => {
    await guardInstance(sql, devnet);
    await fill(false);
    const fold = await sql.reserve();
    await fold`select pg_advisory_lock(hashtext('tidemark fold_31337_x'))`;
    await expect(guardInstance(sql, { ...devnet, instance: "two" }, 300)).rejects.toThrow(
      "the database holds another chain 31337, which the fold still writes: correct RPC_URL or DATABASE_URL, or",
    );
    expect(await schemas()).toContain("fold_31337_x");
    expect(await sql`select instance from tidemark.instance`).toMatchObject([{ instance: "one" }]);
    await fold`select pg_advisory_unlock_all()`;
    fold.release();
    expect(await guardInstance(sql, { ...devnet, instance: "two" })).toContain("fold_31337_x");
  });

  it("drops everything of another instance of the chain, and nothing of other chains", async () => {
    await guardInstance(sql, devnet);
    await fill(true);
    expect((await guardInstance(sql, { ...devnet, instance: "two" }))?.sort()).toEqual(
      [S, "fold_31337_x", "ponder_sync"].sort(),
    );
    expect(await schemas()).toEqual(["facts_313371_y", "facts_80094_z", "ponder_sync"]);
    expect((await sql`select chain_id from ponder_sync.blocks`).map((row) => Number(row.chain_id))).toEqual([80094]);
    expect((await sql`select chain_id from tidemark.live`).map((row) => Number(row.chain_id))).toEqual([80094]);
    expect(await sql`select instance from tidemark.instance`).toMatchObject([{ instance: "two" }]);
  });

  it("leaves no cache that facts could be made of anew where its connection is lost, and what it knows of the chain whole", async () => {
    await guardInstance(sql, devnet);
    await fill(true);
    const cached = async () => (await sql`select chain_id from ponder_sync.blocks`).map((row) => Number(row.chain_id));
    await sql.unsafe(`create table ${S}.block (number int)`);
    for (const table of [`${S}.block`, "tidemark.live"]) {
      await whileLost(table, (session) => resetChain(session, 31337));
      expect(await cached(), table).toEqual([80094]);
      expect((await sql`select chain_id from tidemark.live`).map((row) => Number(row.chain_id))).toEqual([
        31337, 80094,
      ]);
      expect(await sql`select instance from tidemark.instance`).toMatchObject([{ instance: "one" }]);
    }
    await resetChain(sql, 31337);
    expect((await sql`select chain_id from tidemark.live`).map((row) => Number(row.chain_id))).toEqual([80094]);
  });

  it("drops nothing of an index that is not there", async () => {
    expect(await resetChain(sql, 31337)).toEqual([]);
  });

  it("drops the whole cache when it holds this chain alone", async () => {
    await guardInstance(sql, devnet);
    await fill(false);
    await resetChain(sql, 31337);
    expect(await schemas()).toEqual(["facts_313371_y", "facts_80094_z"]);
  });

  it("trusts data of unknown origin only where the chain cannot be another one", async () => {
    await guardInstance(sql, { ...devnet, chainId: 1 });
    await fill(true);
    expect(await guardInstance(sql, { chainId: 80094, instance: "0xgenesis", isReplaceable: false })).toBeUndefined();
    expect(await schemas()).toContain("facts_80094_z");
    expect(await guardInstance(sql, devnet)).toContain(S);
  });
});

describe("guardInstance of a real chain", () => {
  const real = { chainId: 31337, instance: "0xaa", isReplaceable: false };

  it("drops nothing where the node has another block 0, until its index is reset", async () => {
    expect(await guardInstance(sql, real)).toBeUndefined();
    await sql.unsafe(`create schema ${S}; insert into tidemark.live values (31337, '${S}', 'f')`);
    const other = guardInstance(sql, { ...real, instance: "0xbb" });
    await expect(other).rejects.toThrow(OtherGenesisError);
    await expect(other).rejects.toThrow(
      "another chain 31337 (0xaa) than the node serves (block 0 is 0xbb): nothing was dropped",
    );
    expect(await sql`select 1 from pg_namespace where nspname = ${S}`).toHaveLength(1);
    expect(await sql`select ponder_schema from tidemark.live`).toHaveLength(1);
    expect(await sql`select instance from tidemark.instance`).toMatchObject([{ instance: "0xaa" }]);
    expect(await resetChain(sql, 31337)).toEqual([S]);
    expect(await guardInstance(sql, { ...real, instance: "0xbb" })).toBeUndefined();
    expect(await sql`select instance from tidemark.instance`).toMatchObject([{ instance: "0xbb" }]);
  });
});

describe("readIndexProgress", () => {
  it("says how far the fold is that is being made, not the one that gateways read meanwhile", async () => {
    await makeTables({ blocks: 5, at: all(checkpoint(1004, 4)), isReady: 1 });
    const running = { ponderSchema: S, foldSchema: "fold_31337_x" };
    expect(await readIndexProgress(sql, running)).toEqual({ indexed: 4, isIndexed: true, folded: undefined });
    await sql.unsafe(`create schema tidemark; create table tidemark.live (chain_id int8, fold_schema text);
      insert into tidemark.live values (31337, 'fold_80094_z'); create schema fold_80094_z; create schema fold_31337_x;
      create table fold_80094_z.meta as select 4 as head; create table fold_31337_x.meta as select 2 as head`);
    expect(await readIndexProgress(sql, running)).toMatchObject({ folded: 2 });
  });
});
