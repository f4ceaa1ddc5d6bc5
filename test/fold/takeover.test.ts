// Which of two indexes gateways read, and when the other one is dropped.
import type { Sql } from "postgres";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { everyFactTable } from "../../core/fact-tables.ts";
import { undelayed } from "../../database/undelayed.ts";
import { type FoldIdentity, openFold, pointGateways, registerBuild } from "../../fold/fold-schema.ts";
import { dropSuperseded } from "../../fold/serving/prune.ts";
import { takeOver, writerLock } from "../../fold/serving/takeover.ts";
import { deploymentDdl } from "../../fold/tables.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const CHAIN = 31337;
const identityOf = (name: string): FoldIdentity => ({
  chainId: CHAIN,
  ponderSchema: `facts_31337_${name}`,
  foldSchema: `fold_31337_${name}`,
  firstBlock: 0,
  weth9: [],
  erc4626: [],
});
const [old, next] = [identityOf("old"), identityOf("next")];

let database: TestDatabase;
let db: Sql;
/** Another process: what it holds is not ours. */
let other: Sql;

beforeAll(async () => {
  database = await startTestDatabase();
  const open = () => postgres(database.url, { max: 1, ...undelayed(), onnotice: () => {} });
  [db, other] = [open(), open()];
  await db.unsafe(deploymentDdl);
});
afterAll(async () => {
  await Promise.all([db.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  await database.stop();
});
beforeEach(async () => {
  await other.unsafe("rollback; select pg_advisory_unlock_all()");
  await db`delete from tidemark.live`;
  await db`delete from tidemark.build`;
  await db`delete from tidemark.chain_head`;
  for (const [identity, head] of [
    [old, 100],
    [next, 99],
  ] as const) {
    for (const schema of [identity.ponderSchema, identity.foldSchema])
      await db.unsafe(`drop schema if exists ${schema} cascade; create schema ${schema}`);
    await db.unsafe(
      `create table ${identity.ponderSchema}.block as
         select number, 'hash ' || number as hash from generate_series(80, ${head}) number;
       create table ${identity.foldSchema}.block as select * from ${identity.ponderSchema}.block;
       create table ${identity.foldSchema}.meta as select ${head} as head`,
    );
    await registerBuild(db, identity, { isNew: true });
  }
  await pointGateways(db, old);
});

const served = async () => (await db`select fold_schema as name from tidemark.live where chain_id = ${CHAIN}`)[0]?.name;
const write = (identity: FoldIdentity) => other.unsafe(`select pg_advisory_lock(${writerLock(identity.foldSchema)})`);
const schemas = async () =>
  (await db`select nspname as name from pg_namespace where nspname ~ '^(facts|fold)_' order by 1`).map(
    (row) => row.name,
  );

describe("a newer index", () => {
  it("takes gateways over once it has every block that they are shown, not before", async () => {
    expect([await takeOver(db, next), await served()]).toEqual([false, old.foldSchema]);
    await db.unsafe(`insert into ${next.foldSchema}.block values (100, 'of another branch'), (101, 'above it')`);
    expect(await takeOver(db, next)).toBe(false);
    await db.unsafe(`update ${next.foldSchema}.block set hash = 'hash 100' where number = 100`);
    expect([await takeOver(db, next), await served()]).toEqual([true, next.foldSchema]);
    expect(await takeOver(db, next)).toBe(true);
  });

  it("takes them over where its own facts hold another block in place of the old one's newest", async () => {
    await db.unsafe(`insert into ${next.ponderSchema}.block values (100, 'of another branch')`);
    expect([await takeOver(db, next), await served()]).toEqual([true, next.foldSchema]);
  });

  it("waits while a block is being added to the old one", async () => {
    await db.unsafe(`insert into ${next.foldSchema}.block values (100, 'hash 100')`);
    await other.unsafe(
      `begin; update ${old.foldSchema}.meta set head = 101; insert into ${old.foldSchema}.block values (101, 'hash 101')`,
    );
    expect([await takeOver(db, next), await served()]).toEqual([false, old.foldSchema]);
    await other.unsafe("commit");
    expect(await takeOver(db, next)).toBe(false);
    await db.unsafe(`insert into ${next.foldSchema}.block values (101, 'hash 101')`);
    expect(await takeOver(db, next)).toBe(true);
  });

  it("does not wait for blocks of a chain that was cut back far below them", async () => {
    await db`insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${CHAIN}, 90, 100)`;
    expect(await takeOver(db, next)).toBe(false);
    await db`update tidemark.chain_head set chain_head = 89`;
    expect(await takeOver(db, next)).toBe(true);
  });
});

describe("an index whose tables are made again", () => {
  const progress = { buildId: "b", factOid: "1", isReady: true, foldableUpTo: 0, head: 0 };

  beforeEach(async () => {
    await db`update tidemark.build set since = now() - interval '1 day' where fold_schema = ${old.foldSchema}`;
    await db.unsafe(`drop schema ${old.foldSchema} cascade; drop table ${old.ponderSchema}.block`);
    for (const table of everyFactTable)
      await db.unsafe(`create table ${old.ponderSchema}.${table} (block int4, block_number int4, number int4, log_index int4,
        pool text, pair text, island text, vault text, token text)`);
  });

  it("is the newest from the same moment on", async () => {
    expect(await openFold(db, old, progress)).toMatchObject({ isNew: true });
    // killed here
    const [newest] = await db`select fold_schema as name from tidemark.build order by since desc limit 1`;
    expect(newest?.name).toBe(old.foldSchema);
  });

  it("says what of the chain file it was made of, and what of that was corrected since", async () => {
    const said = async () => (await db.unsafe(`select sources, revision from ${old.foldSchema}.meta`))[0];
    await openFold(db, { ...old, sources: "first" }, progress);
    expect(await said()).toEqual({ sources: "first", revision: "0" });
    expect(await openFold(db, { ...old, sources: "first" }, progress)).toMatchObject({ isNew: false });
    expect(await said()).toEqual({ sources: "first", revision: "0" });
    await openFold(db, { ...old, sources: "corrected" }, progress);
    expect(await said()).toEqual({ sources: "corrected", revision: "1" });
  });
});

describe("an older index", () => {
  it("takes gateways back only when nobody writes the newer one", async () => {
    await db.unsafe(`insert into ${next.foldSchema}.block values (100, 'hash 100')`);
    await takeOver(db, next);
    await write(next);
    expect([await takeOver(db, old), await served()]).toEqual([false, next.foldSchema]);
    await registerBuild(db, old, { isNew: false });
    expect(await takeOver(db, old)).toBe(false);
    await other.unsafe("select pg_advisory_unlock_all()");
    expect([await takeOver(db, old), await served()]).toEqual([true, old.foldSchema]);
  });

  it("is dropped when it is left long enough and nobody writes it", async () => {
    await db.unsafe(`insert into ${next.foldSchema}.block values (100, 'hash 100')`);
    await takeOver(db, next);
    const all = await schemas();
    expect(await dropSuperseded(db, next, undefined)).toEqual([]);
    expect(await dropSuperseded(db, next, 600)).toEqual([]);
    expect(await dropSuperseded(db, old, 0)).toEqual([]);
    await write(old);
    expect([await dropSuperseded(db, next, 0), await schemas()]).toEqual([[], all]);
    await other.unsafe("select pg_advisory_unlock_all()");
    await other.unsafe(`set application_name = '${old.ponderSchema}_internal'`);
    expect([await dropSuperseded(db, next, 0), await schemas()]).toEqual([[], all]);
    await other.unsafe("set application_name = 'another'");
    expect((await dropSuperseded(db, next, 0)).sort()).toEqual([old.ponderSchema, old.foldSchema].sort());
    expect(await schemas()).toEqual([next.ponderSchema, next.foldSchema].sort());
    expect(await dropSuperseded(db, next, 0)).toEqual([]);
  });

  it("that was made later than the one that is read stays", async () => {
    expect([await dropSuperseded(db, old, 0), (await schemas()).length]).toEqual([[], 4]);
  });

  it("of the same facts is dropped after a minute, even where superseded indexes stay", async () => {
    const again = { ...old, foldSchema: `${old.foldSchema}_again` };
    await registerBuild(db, again, { isNew: true });
    await db.unsafe(`
      drop schema if exists ${again.foldSchema} cascade; create schema ${again.foldSchema};
      create table ${again.foldSchema}.meta as select 99 as head;
      create table ${again.foldSchema}.block as select * from ${old.foldSchema}.block where number < 100`);
    expect(await takeOver(db, again)).toBe(false);
    await db.unsafe(`insert into ${again.foldSchema}.block values (100, 'hash 100')`);
    expect(await takeOver(db, again)).toBe(true);
    expect(await dropSuperseded(db, again, undefined)).toEqual([]);
    await db`update tidemark.live set since = now() - interval '61 seconds'`;
    expect(await dropSuperseded(db, again, undefined)).toEqual([old.foldSchema]);
  });
});
