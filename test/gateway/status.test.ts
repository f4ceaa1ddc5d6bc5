// What `status` says: how far the fold, the node and the answers are, at once; what is listed, a moment later.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, insertBlocks, insertFacts, timestampOf } from "../support/index-fixture.ts";
import { ALICE, BOB, BROKEN, PLAIN, quarantineSql, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const { ponderSchema, foldSchema, head, finalized } = smallIndex;

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, { ...smallIndex, chainHead: head });
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

/** Blocks are facts, too. */
const facts = smallIndex.facts.length + head - smallIndex.firstBlock + 1;
const status = async () => (await gateway.get("/status")).body;
const readiness = async () => {
  const { status: code, body } = await gateway.get("/ready");
  return [code, (body.error as { code: string } | undefined)?.code];
};

const transferAt = (block: number) => ({
  ...{ kind: "transfer" as const, block, logIndex: 0, token: PLAIN },
  ...{ from: ALICE, to: BOB, amount: 1n },
});

describe("status", () => {
  it("names a chain whose blooms are not compared with its logs, in both skins", async () => {
    expect((await status()).blooms).toEqual({ areChecked: true, reason: null, block: null, since: null });
    await database.sql`insert into tidemark.unproven_blooms (chain_id, reason, block) values (31337, 'they lack logs', 107)`;
    const said = { areChecked: false, reason: "they lack logs", block: 107 };
    expect((await status()).blooms).toMatchObject(said);
    const query = "{ status { blooms { areChecked reason block } } }";
    expect((await gateway.graphql(query)).data).toEqual({ status: { blooms: said } });
    await database.sql`delete from tidemark.unproven_blooms`;
  });

  it("says the same alone and behind another question of the request", async () => {
    expect(await status()).toMatchObject({
      ...{ state: "ready", reason: null, lastSyncedBlock: head, chainHead: head, lag: 0, waiting: [] },
      fold: { watermark: head, finalized, facts },
    });
    const query = `{ status { fold { watermark finalized facts } tokens { tracked withMetadata } quarantinedCount
      quarantined { token reason } metadataProblems { token problem attempts } } token(address: "${PLAIN}") { symbol } }`;
    const reordered = query.replace(/(status \{.*\}) (token\(.*\} )\}$/s, "$2 $1 }");
    expect(reordered.indexOf("token(")).toBeLessThan(reordered.indexOf("status {"));
    expect((await gateway.graphql(reordered)).data).toEqual((await gateway.graphql(query)).data);
  });

  it("shows a new head, a replaced one and what the node says at once", async () => {
    await insertBlocks(database.sql, ponderSchema, { from: head + 1, to: head + 1 });
    await insertFacts(database.sql, ponderSchema, [transferAt(head + 1)]);
    await database.sql`update tidemark.chain_head set chain_head = ${head + 2}, rpc_error = 'refused'`;
    expect(await status()).toMatchObject({ lastSyncedBlock: head, lag: 2, fold: { watermark: head } });
    await followFacts(database.sql, smallIndex);
    expect(await status()).toMatchObject({
      ...{ lastSyncedBlock: head + 1, chainHead: head + 2, lag: 1, rpcError: "refused" },
      fold: { watermark: head + 1, finalized, facts: facts + 2 },
    });
    await database.sql`update ${database.sql(ponderSchema)}.block set hash = ${hashOf(head + 1, 7)}, timestamp = ${timestampOf(head + 1) + 1}
      where number = ${head + 1}`;
    await followFacts(database.sql, smallIndex);
    expect(await status()).toMatchObject({
      lastSyncedBlock: head + 1,
      lastSyncedTimestamp: timestampOf(head + 1) + 1,
      fold: { facts: facts + 2 },
    });
    await database.sql`update tidemark.chain_head set rpc_error = null`;
  });

  it("is ready only near the node's head, while the node is heard of", async () => {
    expect(await readiness()).toEqual([200, undefined]);
    await database.sql`update tidemark.chain_head set chain_head = ${head + 12}`;
    expect(await status()).toMatchObject({ state: "backfilling", reason: expect.stringContaining(String(head + 12)) });
    expect(await readiness()).toEqual([503, "CATCHING_UP"]);
    await database.sql`update tidemark.chain_head set chain_head = ${head + 1}, updated_at = now() - interval '5 seconds'`;
    expect(await readiness()).toEqual([200, undefined]);
    await database.sql`update tidemark.chain_head set updated_at = now() - interval '7 seconds', rpc_error = 'status 429'`;
    expect(await status()).toMatchObject({
      state: "unknown",
      reason: expect.stringMatching(/for 7 seconds: status 429$/),
    });
    expect(await readiness()).toEqual([503, "NODE_UNAVAILABLE"]);
    await database.sql`update tidemark.chain_head set updated_at = now() + interval '1 hour', rpc_error = null`;
    expect(await readiness()).toEqual([200, undefined]);
  });

  it("blames the fold that has died, and not the node, which it has not come to ask", async () => {
    await database.sql`update tidemark.part set beat_at = now() where part = 'fold'`;
    await database.sql`update tidemark.chain_head set updated_at = now() - interval '7 seconds'`;
    expect(await status()).toMatchObject({ state: "unknown", reason: expect.stringMatching(/for 7 seconds$/) });
    await database.sql`update tidemark.part set deaths = 1, error = 'no space left' where part = 'fold'`;
    const reason = "the fold last died of: no space left, and the node's head has not been read for 7 seconds";
    expect(await status()).toMatchObject({ state: "failing", reason });
    expect(await readiness()).toEqual([503, "PART_FAILING"]);
    await database.sql`update tidemark.part set deaths = 0, error = null`;
    // a fold that is silent has asked nobody; what keeps it silent is named once its next sign is overdue
    await database.sql`update tidemark.part set beat_at = now() - interval '6 seconds' where part = 'fold'`;
    expect(await readiness()).toEqual([200, undefined]);
    await database.sql`update tidemark.chain_head set updated_at = now() - interval '9 seconds'`;
    expect(await readiness()).toEqual([503, "NODE_UNAVAILABLE"]);
    await database.sql`update tidemark.part set beat_at = now() where part = 'fold'`;
    await database.sql`update tidemark.chain_head set updated_at = now() + interval '1 hour'`;
    expect(await readiness()).toEqual([200, undefined]);
  });

  it("does not know how far the chain is while the node lacks final blocks and no other one brings newer ones", async () => {
    const meta = database.sql`${database.sql(foldSchema)}.meta`;
    await database.sql`update tidemark.chain_head set chain_head = ${finalized - 1}`;
    await database.sql`update ${meta} set updated_at = now() - interval '29 seconds'`;
    expect(await readiness()).toEqual([200, undefined]);
    await database.sql`update ${meta} set updated_at = now() - interval '32 seconds'`;
    expect(await status()).toMatchObject({
      state: "unknown",
      reason: `the node is at block ${finalized - 1} and lacks block ${finalized}, which is final here; nothing newer has been folded for 32 seconds`,
    });
    expect(await readiness()).toEqual([503, "NODE_UNAVAILABLE"]);
    await database.sql`update tidemark.chain_head set chain_head = ${finalized}`;
    expect(await readiness()).toEqual([200, undefined]);
    await database.sql`update tidemark.chain_head set chain_head = ${head + 1}`;
  });

  it("says how far a fold is that cannot be read yet, and what its steps wait for once it can", async () => {
    await database.sql`update ${database.sql(foldSchema)}.meta set is_indexed = false`;
    expect(await status()).toMatchObject({
      ...{ state: "folding", lastSyncedBlock: null, chainHead: head + 1 },
      fold: { watermark: head + 1, finalized },
    });
    expect(await readiness()).toEqual([503, "INDEX_FOLDING"]);
    await database.sql`update ${database.sql(foldSchema)}.meta set is_indexed = true, updated_at = now()`;
    await database.sql`insert into ${database.sql(foldSchema)}.waiting values ('island', ${head}, 'the node is away')`;
    expect(await status()).toMatchObject({
      state: "ready",
      waiting: [{ step: "island", block: head, reason: "the node is away" }],
    });
  });

  it("is stalled when the fold waits in vain, or stands while the node has newer blocks", async () => {
    const waiting = database.sql`${database.sql(foldSchema)}.waiting`;
    await database.sql`update ${waiting} set since = now() - interval '7 seconds'`;
    await database.sql`update ${database.sql(foldSchema)}.meta set updated_at = now()`;
    expect(await status()).toMatchObject({
      ...{ state: "stalled", reason: `the fold does not get past block ${head - 1}: the node is away` },
    });
    expect(await readiness()).toEqual([503, "STALLED"]);
    await database.sql`delete from ${waiting}`;
    await database.sql`update ${database.sql(foldSchema)}.meta set updated_at = now()`;
    await database.sql`update tidemark.part set behind_since = now() - interval '29 seconds'`;
    expect(await readiness()).toEqual([200, undefined]);
    await database.sql`update tidemark.part set behind_since = now() - interval '32 seconds'`;
    expect((await status()).reason).toMatch(
      /^the node has had newer blocks for 32 seconds, and none after block \d+ is indexed$/,
    );
    expect(await readiness()).toEqual([503, "STALLED"]);
    await database.sql`update tidemark.part set behind_since = null`;
  });

  it("is stalled, not backfilling, when it stands so long that the node is more than ten blocks ahead", async () => {
    await database.sql`update tidemark.chain_head set chain_head = chain_head + 60`;
    await database.sql`update tidemark.part set behind_since = now() - interval '29 seconds'`;
    expect(await readiness()).toEqual([503, "CATCHING_UP"]);
    await database.sql`update tidemark.part set behind_since = now() - interval '32 seconds'`;
    expect(await readiness()).toEqual([503, "STALLED"]);
    await database.sql`update tidemark.part set behind_since = null`;
    await database.sql`update tidemark.chain_head set chain_head = chain_head - 60`;
    expect(await readiness()).toEqual([200, undefined]);
  });

  it("is failing when nobody has ever heard of the fold of the index that is read", async () => {
    await database.sql`update tidemark.part set schema = 'fold_other'`;
    expect(await readiness()).toEqual([503, "PART_FAILING"]);
    await database.sql`update tidemark.part set schema = ${foldSchema}`;
    expect(await readiness()).toEqual([200, undefined]);
  });

  it("is folding, not failing, while another fold works that was started when the one of the index that is read had ended", async () => {
    const { sql } = database;
    await sql`update tidemark.part set started_at = now() - interval '1 hour', beat_at = now() - interval '20 seconds',
                due_at = now() - interval '10 seconds', ended_at = now() - interval '20 seconds' where part = 'fold'`;
    expect(await readiness()).toEqual([503, "PART_FAILING"]);
    await sql`insert into tidemark.part (chain_id, part, schema, started_at, beat_at, due_at)
              values (31337, 'fold', 'fold_next', now(), now(), now() + interval '1 hour')`;
    expect(await readiness()).toEqual([503, "INDEX_FOLDING"]);
    expect(await status()).toMatchObject({
      state: "folding",
      reason: "the fold is not running; another index is being made, and is read instead once it has caught up",
    });
    await sql`update tidemark.part set deaths = 3, ended_at = now() where schema = 'fold_next'`;
    expect(await readiness()).toEqual([503, "PART_FAILING"]);
    await sql`delete from tidemark.part where schema = 'fold_next'`;
    await sql`update tidemark.part set beat_at = now(), due_at = now() + interval '1 hour', ended_at = null`;
    expect(await readiness()).toEqual([200, undefined]);
  });

  it("shows what is listed within a moment, and at once after a step of the fold", async () => {
    const before = await status();
    await database.sql.unsafe(quarantineSql(smallIndex));
    await vi.waitFor(async () => expect((await status()).quarantinedCount).toBe(Number(before.quarantinedCount) + 1), {
      timeout: 20_000,
      interval: 100,
    });
    await database.sql`delete from ${database.sql(foldSchema)}.quarantine q using ${database.sql(foldSchema)}.asset a
      where a.id = q.asset and a.key = ${Buffer.from(BROKEN.slice(2), "hex")}`;
    await database.sql`update ${database.sql(foldSchema)}.meta set updated_at = now()`;
    expect((await status()).quarantinedCount).toBe(before.quarantinedCount);
  });
});
