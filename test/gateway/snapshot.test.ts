// Living beside Ponder: which locks a request holds when, and that its blocks never mix.
import type { ReservedSql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyFactTable } from "../../core/fact-tables.ts";
import { UnavailableError } from "../../gateway/errors.ts";
import { Snapshot } from "../../gateway/ledger/snapshot.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, type Index, timestampOf, writeFold } from "../support/index-fixture.ts";
import { PLAIN, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const snapshot = () => new Snapshot({ ...gateway.service, chainId: 31337 });

/** Tables of the schema that gateway transactions hold locks on. */
async function lockedTables(schema: string): Promise<string[]> {
  const rows = await database.sql`
    select distinct c.relname from pg_locks l join pg_class c on c.oid = l.relation
      join pg_namespace n on n.oid = c.relnamespace join pg_stat_activity a on a.pid = l.pid
     where n.nspname = ${schema} and c.relkind = 'r' and a.datname = current_database() and a.application_name = 'tidemark-gateway' order by 1`;
  return rows.map((row) => row.relname);
}

const newestBlock = (schema: string) => `select max(number) as newest from ${schema}.block`;

describe("a request's transaction", () => {
  it("locks Ponder's tables only while it reads them; its snapshot stays", async () => {
    const held = snapshot();
    await held.withFacts(async (facts) => {
      expect(facts.state.lastSynced).toBe(115);
      expect(await lockedTables("facts_small")).toEqual([...everyFactTable, "_ponder_checkpoint"].sort());
    });
    expect(await lockedTables("facts_small")).toEqual([]);
    expect(await lockedTables("fold_small")).toEqual(expect.arrayContaining(["holding_current", "holding_interval"]));

    await database.sql`insert into facts_small.block values (116, ${hashOf(116)}, ${timestampOf(116)}, null)`;
    await database.sql`update fold_small.meta set watermark = 111`;
    const [old] = await held.rows<{ newest: number; watermark: number }>(
      `select (${newestBlock("facts_small")}) as newest, watermark from fold_small.meta`,
    );
    expect(old).toEqual({ newest: 115, watermark: 110 });
    await held.withFacts(async (facts) => {
      expect(await facts.rows(newestBlock("facts_small"))).toEqual([{ newest: 115 }]);
    });
    await held.close();
    expect(await lockedTables("fold_small")).toEqual([]);

    const later = snapshot();
    await later.withFacts(async (facts) => expect([facts.state.lastSynced, facts.state.watermark]).toEqual([116, 111]));
    await later.close();
    await database.sql`delete from facts_small.block where number = 116`;
    await database.sql`update fold_small.meta set watermark = 110`;
  });

  it("lets Ponder's DDL through while an answer is still being read", async () => {
    const held = snapshot();
    await held.withFacts(async () => {});
    await database.sql.begin(async (tx) => {
      await tx`set local lock_timeout = '500ms'`;
      await tx`lock table facts_small.block, facts_small.erc20_transfer in access exclusive mode`;
    });
    await held.close();
  });

  it("waits for DDL that is under way, takes its snapshot after it, and answers", async () => {
    const ddl = await database.sql.reserve();
    await ddl`begin`;
    await ddl`lock table facts_small.block in access exclusive mode`;
    await ddl`delete from facts_small.block where number = 115`;
    const answer = gateway.get(`/balances/${PLAIN}?blockNumber=99999999999`);
    await waitForLockWait();
    await ddl`commit`;
    expect((await answer).body.lastSyncedBlock).toBe(114);
    ddl.release();
    await database.sql`insert into facts_small.block values (115, ${hashOf(115)}, ${timestampOf(115)}, null)`;
  });

  it("tries again after a lock timeout, and gives up with 503", async () => {
    const ddl = await exclusively("facts_small.erc20_transfer");
    const first = gateway.get(`/balances/${PLAIN}?blockNumber=110`);
    setTimeout(() => void ddl`commit`.then(() => ddl.release()), 2_500);
    expect((await first).status).toBe(200);

    const stuck = await exclusively("facts_small.erc20_transfer");
    // what was told of block 110 is kept, and needs no table
    const { status, headers, body } = await gateway.get(`/balances/${PLAIN}?blockNumber=109`);
    expect([status, headers.get("retry-after"), (body.error as { code: string }).code]).toEqual([
      503,
      "2",
      "OVERLOADED",
    ]);
    await stuck`commit`;
    stuck.release();
  }, 30_000);

  it("gives its connection back whatever happens", async () => {
    for (let i = 0; i < 30; i++) {
      const failing = snapshot();
      await expect(failing.withFacts((facts) => facts.rows("select 1/0"))).rejects.toThrow("division by zero");
      await failing.close();
      await gateway.get(`/balances/${PLAIN}?blockNumber=nonsense`);
    }
    const [{ open } = { open: -1 }] = await database.sql`
      select count(*)::int as open from pg_stat_activity
       where datname = current_database() and application_name = 'tidemark-gateway' and state like 'idle in transaction%'`;
    expect(open).toBe(0);
  });
});

describe("when gateways are pointed elsewhere", () => {
  it("reads the new schemas from the next request on", async () => {
    await gateway.get(`/balances/${PLAIN}?blockNumber=110`);
    const next: Index = { ...smallIndex, ponderSchema: "facts_next", foldSchema: "fold_next", head: 118 };
    await buildIndex(database.sql, next);
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=110`)).body.lastSyncedBlock).toBe(118);
    await database.sql`drop schema fold_small cascade`;
    await database.sql`drop schema facts_small cascade`;
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=110`)).body.lastSyncedBlock).toBe(118);
  });

  it("does not trust a fold of other fact tables, nor one that is being made anew", async () => {
    await database.sql`update fold_next.meta set fact_oid = 1`;
    expect(await code(`/balances/${PLAIN}?blockNumber=110`)).toBe("INDEX_FOLDING");

    const held = snapshot();
    await expect(held.withFacts(async () => {})).rejects.toThrow(UnavailableError);
    await held.close();
  });

  it("keeps a dropped fold from vanishing under an answer", async () => {
    await database.sql`drop schema fold_next cascade`;
    await writeFold(database.sql, { ...smallIndex, ponderSchema: "facts_next", foldSchema: "fold_next", head: 118 });
    const held = snapshot();
    await held.withFacts(async () => {});
    const rebuilding = await database.sql.reserve();
    await rebuilding`set lock_timeout = '300ms'`;
    await expect(rebuilding`drop schema fold_next cascade`).rejects.toThrow("lock timeout");
    await held.close();
    await rebuilding`drop schema fold_next cascade`;
    rebuilding.release();
    expect(await code(`/balances/${PLAIN}?blockNumber=110`)).toBe("INDEX_FOLDING");
  });
});

async function code(path: string): Promise<string> {
  return ((await gateway.get(path)).body.error as { code: string }).code;
}

async function exclusively(table: string): Promise<ReservedSql> {
  const ddl = await database.sql.reserve();
  await ddl`begin`;
  await ddl.unsafe(`lock table ${table} in access exclusive mode`);
  return ddl;
}

/** Resolves once a gateway transaction waits for a lock. */
async function waitForLockWait(): Promise<void> {
  for (;;) {
    const rows = await database.sql`
      select 1 from pg_stat_activity where datname = current_database() and application_name = 'tidemark-gateway' and wait_event_type = 'Lock'`;
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
