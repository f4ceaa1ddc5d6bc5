// Living beside Ponder: what a request holds when, and that its blocks never mix.
import type { ReservedSql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyFactTable } from "../../core/fact-tables.ts";
import { dropFoldDdl } from "../../fold/fold-schema.ts";
import { RequestScope } from "../../gateway/context.ts";
import { Snapshot } from "../../gateway/database/snapshot.ts";
import { publicError, UnavailableError } from "../../gateway/errors.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import type { Address } from "../../gateway/parameters.ts";
import { balanceHistoryRows } from "../../gateway/questions/balance-history.ts";
import { followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, type Index, timestampOf, writeFold } from "../support/index-fixture.ts";
import { ALICE, PLAIN, smallIndex } from "../support/small-index.ts";
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
  it("holds Ponder's tables only while it reads facts; its snapshot stays", async () => {
    const held = snapshot();
    await held.withFacts(async (facts) => {
      expect(facts.state.lastSynced).toBe(115);
      await facts.rows("select 1 from fold_small.erc20_transfer limit 1");
      expect(await lockedTables("facts_small")).toEqual(["erc20_transfer"]);
    });
    expect(await lockedTables("facts_small")).toEqual([]);

    await database.sql`insert into facts_small.block values (116, ${hashOf(116)}, ${timestampOf(116)}, null)`;
    await followFacts(database.sql, smallIndex);
    expect(await held.rows("select head from fold_small.meta")).toEqual([{ head: 115 }]);
    await held.withFacts(async (facts) => {
      expect(await facts.rows(newestBlock("fold_small"))).toEqual([{ newest: 115 }]);
    });
    await held.close();
    expect(await lockedTables("fold_small")).toEqual([]);

    const later = snapshot();
    await later.read(async ({ state }) => expect(state.lastSynced).toBe(116));
    await later.close();
  });

  it("shows a history to its end as it was when the answer began, whatever changes while it is read", async () => {
    const scope = new RequestScope(gateway.service);
    const [token, account] = [PLAIN as Address, ALICE as Address];
    const range = { token, account, from: blockNumbered(101), to: blockNumbered(112) };
    const { batches } = await scope.run(balanceHistoryRows, range);
    await database.sql`update fold_small.meta set revision = revision + 1`;
    const blocks: number[] = [];
    for (let batch = await batches.next(); !batch.done; batch = await batches.next())
      blocks.push(...batch.value.map(({ block }) => block));
    expect(blocks).toEqual([104, 112]);
    await scope.close();
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

  it("answers at once while Ponder has all of its tables to itself, at the head too", async () => {
    const ddl = await exclusively(everyFactTable.map((table) => `facts_small.${table}`).join(", "));
    try {
      for (const block of [105, 110, 112, 99_999_999_999]) {
        const { status } = await gateway.get(`/balances/${PLAIN}?blockNumber=${block}`);
        expect([block, status]).toEqual([block, 200]);
      }
      expect((await gateway.get(`/tokens?addresses=${PLAIN}`)).status).toBe(200);
      expect((await gateway.get("/status")).status).toBe(200);
    } finally {
      await ddl`commit`;
      ddl.release();
    }
  });

  it("reads facts again after a lock timeout, and gives up in the end", async () => {
    const read = () => {
      const own = snapshot();
      return own
        .withFacts((facts) => facts.rows("select 1 from fold_small.erc20_transfer limit 1"))
        .finally(() => own.close());
    };
    const ddl = await exclusively("facts_small.erc20_transfer");
    const first = read();
    setTimeout(() => void ddl`commit`.then(() => ddl.release()), 2_500);
    expect(await first).toHaveLength(1);

    const stuck = await exclusively("facts_small.erc20_transfer");
    const error: unknown = await read().catch((reason: unknown) => reason);
    expect(publicError(error)).toMatchObject({ code: "OVERLOADED", status: 503 });
    await stuck`commit`;
    stuck.release();
  });

  it("answers everything that was asked beside facts whose lock was lost", async () => {
    const held = snapshot();
    await held.open();
    const transfers = () => held.withFacts((facts) => facts.rows("select 1 from fold_small.erc20_transfer limit 1"));
    const ddl = await exclusively("facts_small.erc20_transfer");
    setTimeout(() => void ddl`commit`.then(() => ddl.release()), 2_500);
    const own = () => held.rows("select head from fold_small.meta");
    const answers = await Promise.all([transfers(), own(), transfers(), own()]);
    expect(answers.map((rows) => rows.length)).toEqual([1, 1, 1, 1]);
    await held.close();

    const failing = snapshot();
    await failing.open();
    const wrong = failing.withFacts((facts) => facts.rows("select 1/0"));
    const beside = failing.rows("select head from fold_small.meta");
    await expect(wrong).rejects.toThrow("division by zero");
    expect(await beside).toHaveLength(1);
    await failing.close();
  });

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
    await database.sql.unsafe(dropFoldDdl("fold_small"));
    await database.sql`drop schema facts_small cascade`;
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=110`)).body.lastSyncedBlock).toBe(118);
  });

  it("does not read a fold whose first load has no indexes", async () => {
    await database.sql`update fold_next.meta set is_indexed = false`;
    expect(await code(`/balances/${PLAIN}?blockNumber=110`)).toBe("INDEX_FOLDING");

    const held = snapshot();
    await expect(held.withFacts(async () => {})).rejects.toThrow(UnavailableError);
    await held.close();
  });

  it("keeps a dropped fold from vanishing under an answer", async () => {
    await database.sql.unsafe(dropFoldDdl("fold_next"));
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
