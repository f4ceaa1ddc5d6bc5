// Everything that is not answered: the status, the code, and the parameter the message names.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeLive } from "../../fold/revision.ts";
import { followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, insertBlocks, insertFacts, pointAt, timestampOf } from "../support/index-fixture.ts";
import { accountOf, type Fact } from "../support/reference-ledger.ts";
import {
  ALICE,
  BREAKING,
  BROKEN,
  PLAIN,
  quarantineSql,
  smallIndex,
  UNITLESS,
  UNKNOWN,
  UNREAD,
  YOUNG,
} from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

interface Refusal {
  status: number;
  code: string;
  message: string;
  details: Record<string, unknown>;
  retryAfter: string | null;
}

async function refused(path: string): Promise<Refusal> {
  const { status, body, headers } = await gateway.get(path);
  const error = body.error as { code: string; message: string; details: Record<string, unknown> };
  return { status, ...error, retryAfter: headers.get("retry-after") };
}

describe("a statement", () => {
  it.each([undefined, "text/sql", "application/xml", "application/json-seq"])(
    "that is JSON is refused where its type does not say so: %s",
    async (type) => {
      const headers = type === undefined ? {} : { "content-type": type };
      const body = ' {"query": "select 1"}';
      const answer = await gateway.app.request("/sql", { method: "POST", headers, body });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        {
          error: {
            code: "INVALID_INPUT",
            message: expect.stringContaining("must be application/json where the body is"),
          },
        },
      ]);
    },
  );
});

describe("before there is an index", () => {
  it("says STARTING, stays alive and is not ready", async () => {
    expect(await refused(`/balances/${PLAIN}?blockNumber=1`)).toMatchObject({
      status: 503,
      code: "STARTING",
      retryAfter: "2",
    });
    expect((await gateway.get("/health")).status).toBe(200);
    expect(await refused("/ready")).toMatchObject({ status: 503, code: "STARTING" });
    expect((await gateway.get("/status")).body).toMatchObject({
      state: "starting",
      lastSyncedBlock: null,
      chainHead: null,
    });
    const { data } = await gateway.graphql("{ status { state chainId } }");
    expect(data).toEqual({ status: { state: "starting", chainId: 31337 } });
  });
});

describe("with an index", () => {
  beforeAll(async () => {
    await buildIndex(database.sql, { ...smallIndex, chainHead: 120 });
    await database.sql.unsafe(quarantineSql(smallIndex));
  });

  const many = (n: number) => Array.from({ length: n }, (_, i) => accountOf(i + 1)).join(",");

  it.each([
    ["a malformed address", `/balances/0x12?blockNumber=110`, "token"],
    ["an address with a stray character", `/balances/${PLAIN.slice(0, -1)}g?blockNumber=110`, "token"],
    ["no blockNumber", `/balances/${PLAIN}`, "blockNumber"],
    ["an empty blockNumber", `/balances/${PLAIN}?blockNumber=`, "blockNumber"],
    ["a negative blockNumber", `/balances/${PLAIN}?blockNumber=-1`, "blockNumber"],
    ["a fractional blockNumber", `/balances/${PLAIN}?blockNumber=110.5`, "blockNumber"],
    ["an exponent", `/balances/${PLAIN}?blockNumber=1e2`, "blockNumber"],
    ["a hex blockNumber", `/balances/${PLAIN}?blockNumber=0x6e`, "blockNumber"],
    ["a word", `/balances/${PLAIN}?blockNumber=latest`, "blockNumber"],
    ["a block before the first", `/balances/${PLAIN}?blockNumber=99`, "blockNumber"],
    ["empty users", `/balances/${PLAIN}?blockNumber=110&users=`, "users"],
    ["an empty item in users", `/balances/${PLAIN}?blockNumber=110&users=${ALICE},,${ALICE}`, "users"],
    ["a malformed user", `/balances/${PLAIN}?blockNumber=110&users=${ALICE},0x1`, "users"],
    ["10,001 users", `/balances/${PLAIN}?blockNumber=110&users=${many(10_001)}`, "users"],
    ["a chain that is not served", `/balances/${PLAIN}?blockNumber=110&chainId=1`, "chainId"],
    ["a chain id that is no number", `/status?chainId=one`, "chainId"],
    ["users twice", `/balances/${PLAIN}?blockNumber=110&users=${ALICE}&users=${accountOf(2)}`, "users"],
    ["a block twice", `/balances/${PLAIN}?blockNumber=110&blockNumber=112`, "blockNumber"],
    ["a block twice, spelt in two ways", `/balances/${PLAIN}?blockNumber=110&block%4Eumber=112`, "blockNumber"],
    ["holders counted as csv", `/balances/${PLAIN}/holders-count?blockNumber=110&format=csv`, "format"],
    ["a distribution as ndjson", `/balances/${PLAIN}/distribution?blockNumber=110&format=ndjson`, "format"],
    ["a tree as parquet", `/balances/${PLAIN}/merkle?blockNumber=110&format=parquet`, "format"],
    ["a pool's time in range as csv", `/pools/${PLAIN}/time-in-range?fromBlock=101&toBlock=110&format=csv`, "format"],
    ["a pool's history as csv", `/pools/${PLAIN}/history?fromBlock=101&toBlock=110&format=csv`, "format"],
    ["a share's history as csv", `/shares/${PLAIN}/history?fromBlock=101&toBlock=110&format=csv`, "format"],
    ["an unknown format of one", `/balances/${PLAIN}/holders-count?blockNumber=110&format=xml`, "format"],
    ["addresses twice", `/tokens?addresses=${PLAIN}&addresses=${YOUNG}`, "addresses"],
  ])("refuses %s with 400 naming %3$s", async (_, path, parameter) => {
    const refusal = await refused(path);
    expect(refusal).toMatchObject({ status: 400, code: "INVALID_INPUT", details: { parameter } });
    expect(refusal.message).toContain(parameter);
  });

  it("names the chains served", async () => {
    expect((await refused("/status?chainId=1")).message).toContain("31337");
  });

  it.each([
    { what: "an untracked token", token: UNKNOWN, status: 404, code: "TOKEN_NOT_TRACKED" },
    { what: "a token whose metadata is not read yet", token: UNREAD, status: 503, code: "METADATA_PENDING" },
    { what: "a token without usable decimals", token: UNITLESS, status: 409, code: "TOKEN_NOT_STANDARD" },
    { what: "a quarantined token", token: BROKEN, status: 409, code: "TOKEN_NOT_STANDARD" },
    { what: "a token below zero above the last final block", token: BREAKING, status: 409, code: "TOKEN_NOT_STANDARD" },
  ])("refuses $what", async ({ token, status, code }) => {
    expect(await refused(`/balances/${token}?blockNumber=114`)).toMatchObject({ status, code, details: { token } });
  });

  it("answers a breaking token at blocks before it breaks, and every other token always", async () => {
    expect((await gateway.get(`/balances/${BREAKING}?blockNumber=112`)).status).toBe(200);
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=114`)).status).toBe(200);
  });

  it("answers a token seen above the last final block only with nobody before it", async () => {
    expect((await gateway.get(`/balances/${YOUNG}?blockNumber=105`)).body).toEqual({
      results: [],
      lastSyncedBlock: 115,
    });
  });

  it("refuses a block between the last synced and the chain's head, and answers far ones at the last synced", async () => {
    for (const block of [116, 120])
      expect(await refused(`/balances/${PLAIN}?blockNumber=${block}`)).toMatchObject({
        status: 503,
        code: "CATCHING_UP",
        retryAfter: "2",
      });
    for (const block of ["121", "99999999999", "9".repeat(70)]) {
      const { status, headers, body } = await gateway.get(`/balances/${PLAIN}?blockNumber=${block}`);
      expect([status, headers.get("x-block-number"), body.lastSyncedBlock]).toEqual([200, "115", 115]);
    }
  });

  it("says of a range that begins beyond the chain's head how late it may begin, in words that can be sent", async () => {
    for (const path of ["changes?fromBlock=121&toBlock=121", "at-blocks?blocks=121"])
      expect((await refused(`/balances/${PLAIN}/${path}`)).message).toMatch(
        /: block 121 does not exist yet; ask for at most 115$/,
      );
  });

  it("never answers a block that was once shown with an older one", async () => {
    await database.sql`update tidemark.chain_head set chain_head = 115, highest_head = 130`;
    expect(await refused(`/balances/${PLAIN}?blockNumber=128`)).toMatchObject({ status: 503, code: "CATCHING_UP" });
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=131`)).headers.get("x-block-number")).toBe("115");
    // Nobody has heard of the node for a while: the next blocks may be there by now.
    await database.sql`update tidemark.chain_head set updated_at = now() - interval '4 seconds'`;
    expect(await refused(`/balances/${PLAIN}?blockNumber=131`)).toMatchObject({ status: 503, code: "CATCHING_UP" });
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=1131`)).headers.get("x-block-number")).toBe("115");
    await pointAt(database.sql, { ...smallIndex, chainHead: 120 });
  });

  it("answers a chain that replaced final blocks up to where both branches are one, and says so", async () => {
    await database.sql`insert into tidemark.chain_stop values (31337, 108, '0xaa', '0xbb', 104)`;
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=104`)).headers.get("x-block-number")).toBe("104");
    for (const block of [105, 112])
      expect(await refused(`/balances/${PLAIN}?blockNumber=${block}`)).toMatchObject({
        ...{ status: 409, code: "CHAIN_REPLACED", retryAfter: null, details: { lastSyncedBlock: 104 } },
      });
    // nothing that waiting cures
    expect(await refused(`/balances/${UNKNOWN}?blockNumber=104`)).toMatchObject({
      ...{ status: 404, code: "TOKEN_NOT_TRACKED", retryAfter: null },
    });
    for (const late of [1, 2, 17, 100_000])
      expect(await refused(`/balances/${PLAIN}?timestamp=${timestampOf(104) + late}`)).toMatchObject({
        ...{ status: 409, code: "CHAIN_REPLACED", retryAfter: null, details: { lastSyncedBlock: 104 } },
      });
    const { headers } = await gateway.get(`/balances/${PLAIN}?timestamp=${timestampOf(104)}`);
    expect(headers.get("x-block-number")).toBe("104");
    expect((await gateway.get("/status")).body).toMatchObject({ state: "stopped", lastSyncedBlock: 104 });
    expect(await refused("/ready")).toMatchObject({
      ...{ status: 503, code: "CHAIN_REPLACED", retryAfter: null, details: { state: "stopped" } },
    });
    expect(await gateway.graphql("{ status { state } }")).toEqual({ data: { status: { state: "stopped" } } });
    await database.sql`delete from tidemark.chain_stop`;
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=112`)).status).toBe(200);
  });

  it("answers nothing of a chain that has replaced every block of the index, and names no block to ask for", async () => {
    const change = (text: string) => changeLive(database.sql, 31337, { change: text, parameters: [] });
    await change("insert into tidemark.chain_stop values (31337, 108, '0xaa', '0xbb', -1)");
    for (const query of ["blockNumber=112", "blockNumber=99999999999", "timestamp=1700000000"]) {
      const refusal = await refused(`/balances/${PLAIN}?${query}`);
      expect(refusal, query).toMatchObject({ status: 409, code: "CHAIN_REPLACED", details: { lastSyncedBlock: null } });
      expect(refusal.message).toMatch(/has replaced block 108, which was final. No block of the index is left until/);
    }
    const { body } = await gateway.get("/status");
    expect(body).toMatchObject({ state: "stopped", lastSyncedBlock: null, lag: null });
    expect(body.reason).toMatch(/nothing is answered, as the two share no block of the index, until/);
    expect(await refused("/ready")).toMatchObject({ status: 503, code: "CHAIN_REPLACED" });
    await change("delete from tidemark.chain_stop");
  });

  it("knows no other paths, and says nothing about its inside when something breaks", async () => {
    expect(await refused("/nowhere")).toMatchObject({ status: 404, code: "NOT_FOUND" });
    await database.sql`alter table fold_small.token rename column symbol to ticker`;
    gateway.service.cache.clear();
    const refusal = await refused(`/balances/${PLAIN}?blockNumber=110`);
    await database.sql`alter table fold_small.token rename column ticker to symbol`;
    expect(refusal).toMatchObject({ status: 500, code: "INTERNAL" });
    expect(refusal.message).not.toMatch(/symbol|column|select|fold/i);
  });

  it("takes POST bodies by the same rules", async () => {
    const post = async (body: string) => {
      const response = await gateway.app.request(`/balances/${PLAIN}`, { method: "POST", body });
      return { status: response.status, text: await response.text(), connection: response.headers.get("connection") };
    };
    const users = Array.from({ length: 10_000 }, (_, i) => accountOf(i + 1));
    const good = await post(JSON.stringify({ blockNumber: 110, users }));
    expect(good.status).toBe(200);
    expect(JSON.parse(good.text).results).toHaveLength(10_000);
    for (const [body, parameter] of [
      ["{", "body"],
      ["{}", "blockNumber"],
      ['{"blockNumber": -1}', "blockNumber"],
      ['{"blockNumber": 110, "users": []}', "users"],
      ['{"blockNumber": 110, "users": [""]}', "users"],
      ['{"blockNumber": 110, "users": "0x"}', "users"],
      [JSON.stringify({ blockNumber: 110, users: [...users, accountOf(10_001)] }), "users"],
    ])
      expect(JSON.parse((await post(body!)).text).error).toMatchObject({
        code: "INVALID_INPUT",
        details: { parameter },
      });
    expect(JSON.parse((await post('{"blockNumber": -1}')).text).error.message).toBe(
      "blockNumber: must be a block number in digits, e.g. 1200; 99999999999 asks for the last synced one",
    );
    const inCsv = await gateway.app.request(`/balances/${PLAIN}?format=csv`, {
      ...{ method: "POST", body: '{"blockNumber": 110}' },
    });
    expect([inCsv.status, await inCsv.json()]).toMatchObject([400, { error: { details: { parameter: "format" } } }]);
    const ofUrl = await gateway.app.request(`/balances/${PLAIN}?users=${accountOf(99)}`, {
      ...{ method: "POST", body: '{"blockNumber": 110}' },
    });
    expect(await ofUrl.json()).toMatchObject({ results: [{ account: accountOf(99), total: 0 }] });
    const tooLong = await post(JSON.stringify({ blockNumber: 110, pad: "x".repeat(2_000_000) }));
    expect(tooLong).toMatchObject({ status: 413, connection: "close" });
  });
});

describe("while the fold is behind", () => {
  const facts: Fact[] = Array.from({ length: 20_001 }, (_, i) => ({
    kind: "deposit",
    block: 116,
    logIndex: i,
    token: PLAIN,
    from: ALICE,
    to: ALICE,
    amount: 1n,
  }));

  it("refuses blocks that are not folded yet, and answers them as soon as they are, however many facts they have", async () => {
    await insertBlocks(database.sql, smallIndex.ponderSchema, { from: 116, to: 117 });
    await insertFacts(database.sql, smallIndex.ponderSchema, facts);
    expect(await refused(`/balances/${PLAIN}?blockNumber=117`)).toMatchObject({ status: 503, code: "CATCHING_UP" });
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=115`)).status).toBe(200);
    await followFacts(database.sql, smallIndex);
    const { status, body } = await gateway.get(`/balances/${PLAIN}?blockNumber=117&users=${ALICE}`);
    expect([status, body.lastSyncedBlock]).toEqual([200, 117]);
  });

  it("says INDEX_FOLDING while the fold's first load has no indexes", async () => {
    await database.sql`update fold_small.meta set is_indexed = false`;
    expect(await refused(`/balances/${PLAIN}?blockNumber=105`)).toMatchObject({ status: 503, code: "INDEX_FOLDING" });
    expect((await gateway.get("/status")).body).toMatchObject({ state: "folding" });
    expect(await refused("/ready")).toMatchObject({ status: 503 });
    await database.sql`update fold_small.meta set is_indexed = true`;
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=105`)).status).toBe(200);
  });

  it("says INDEX_FOLDING while the fold's schema is gone", async () => {
    await database.sql`drop schema fold_small cascade`;
    expect(await refused(`/balances/${PLAIN}?blockNumber=105`)).toMatchObject({
      status: 503,
      code: "INDEX_FOLDING",
      retryAfter: "2",
    });
    expect((await gateway.get("/status")).body).toMatchObject({ state: "folding", chainHead: 120 });
  });
});
