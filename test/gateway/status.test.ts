// What `status` tells at once, what it may tell a moment later, and that neither takes a transaction.

import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Database, openDatabase } from "../../gateway/ledger/database.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, insertBlocks, insertFacts } from "../support/index-fixture.ts";
import { ALICE, BOB, PLAIN, quarantineSql, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const { ponderSchema, foldSchema, head, watermark } = smallIndex;

let database: TestDatabase;
let own: Database;
let transactions = 0;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, { ...smallIndex, chainHead: head });
  own = openDatabase(database.url);
  const watched: Database = {
    ...own,
    connect: (refused) => {
      transactions += 1;
      return own.connect(refused);
    },
  };
  const chain = chainFixture({ chainId: 31337, startBlock: 100 });
  const service = openService({ chains: [chain], database: watched });
  app = createApp(service, pino({ level: "silent" }));
});
afterAll(async () => {
  await own.close();
  await database.stop();
});

const above = smallIndex.facts.filter(({ block }) => block > watermark).length;
const status = async () => (await app.request("/status")).json() as Promise<Record<string, unknown>>;

const transferAt = (block: number) => ({
  ...{ kind: "transfer" as const, block, logIndex: 0, token: PLAIN },
  ...{ from: ALICE, to: BOB, amount: 1n },
});

describe("status", () => {
  it("takes no transaction, and says the same as one", async () => {
    const first = await status();
    expect(first).toMatchObject({
      state: "ready",
      lastSyncedBlock: head,
      lag: 0,
      fold: { watermark, factsAbove: above },
    });
    const begun = transactions;
    expect(await status()).toEqual(first);
    expect(transactions).toBe(begun);
    const query = `{ status { fold { factsAbove } tokens { tracked withMetadata } quarantinedCount
      quarantined { token reason } metadataProblems { token problem attempts } } token(address: "${PLAIN}") { symbol } }`;
    const reordered = query.replace(/(status \{.*\}) (token\(.*\} )\}$/s, "$2 $1 }");
    const ask = async (text: string) => {
      const body = JSON.stringify({ query: text });
      const headers = { "content-type": "application/json" };
      return ((await (await app.request("/graphql", { method: "POST", headers, body })).json()) as { data: object })
        .data;
    };
    // behind a question that opens one, it is told in that transaction
    expect(await ask(reordered)).toEqual(await ask(query));
    expect(reordered.indexOf("token(")).toBeLessThan(reordered.indexOf("status {"));
  });

  it("tells a new head, its facts and what the node says at once", async () => {
    await status();
    await insertBlocks(database.sql, ponderSchema, { from: head + 1, to: head + 1 });
    await insertFacts(database.sql, ponderSchema, [transferAt(head + 1)]);
    await database.sql`update tidemark.chain_head set chain_head = ${head + 2}, rpc_error = 'refused'`;
    expect(await status()).toMatchObject({
      ...{ lastSyncedBlock: head + 1, chainHead: head + 2, lag: 1, rpcError: "refused" },
      fold: { factsAbove: above + 1 },
    });
    await database.sql`update tidemark.chain_head set updated_at = now() - interval '61 seconds'`;
    expect((await app.request("/ready")).status).toBe(503);
    expect(await status()).toMatchObject({ state: "unknown" });
    await database.sql`update tidemark.chain_head set updated_at = now(), rpc_error = null`;
    expect((await app.request("/ready")).status).toBe(200);
  });

  it("counts the facts of a block that has replaced another anew", async () => {
    await insertFacts(database.sql, ponderSchema, [{ ...transferAt(head + 1), logIndex: 1 }]);
    await database.sql`
      update ${database.sql(ponderSchema)}.block set hash = ${hashOf(head + 1, 7)} where number = ${head + 1}`;
    expect(await status()).toMatchObject({ fold: { factsAbove: above + 2 } });
  });

  it("tells what is listed within a moment, and with a step of the fold at once", async () => {
    const before = await status();
    await database.sql.unsafe(quarantineSql(smallIndex));
    await vi.waitFor(async () => expect((await status()).quarantinedCount).toBe(Number(before.quarantinedCount) + 1), {
      timeout: 20_000,
      interval: 100,
    });
    await database.sql`delete from ${database.sql(foldSchema)}.quarantine`;
    await database.sql`update ${database.sql(foldSchema)}.meta set updated_at = now()`;
    expect((await status()).quarantinedCount).toBe(before.quarantinedCount);
  });

  it("is answered in a transaction where statements without one are refused", async () => {
    const expected = await status();
    const chain = chainFixture({ chainId: 31337, startBlock: 100 });
    const refusing = { ...own, glance: () => Promise.reject(new Error("refused")) };
    const other = createApp(openService({ chains: [chain], database: refusing }), pino({ level: "silent" }));
    expect(await (await other.request("/status")).json()).toEqual(expected);
  });
});
