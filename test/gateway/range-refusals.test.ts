// What ranges, formats and times refuse: the status, the code, and the parameter the message names.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, insertBlocks, insertFacts, timestampOf } from "../support/index-fixture.ts";
import type { Fact } from "../support/reference-ledger.ts";
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
} from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
  await buildIndex(database.sql, { ...smallIndex, chainHead: 120 });
  await database.sql.unsafe(quarantineSql(smallIndex));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

async function refused(path: string) {
  const { status, body, headers } = await gateway.get(path);
  expect(headers.get("cache-control")).toBeNull();
  return { status, ...(body.error as { code: string; message: string; details: Record<string, unknown> }) };
}
const codeOf = async (query: string) => (await gateway.graphql(`{ ${query} }`)).errors?.[0]?.extensions?.code;

const at = (rest: string) => `/balances/${PLAIN}${rest}`;

describe("malformed questions", () => {
  it.each([
    ["both a number and a time", at("?blockNumber=110&timestamp=1700000220"), "timestamp"],
    ["a fractional time", at("?timestamp=1.5"), "timestamp"],
    ["a time before the first block", at(`?timestamp=${timestampOf(100) - 1}`), "timestamp"],
    ["neither", at("/holders-count"), "blockNumber"],
    ["an unknown format", at("?blockNumber=110&format=xml"), "format"],
    ["an inherited name as a format", at("?blockNumber=110&format=toString"), "format"],
    ["no first block", at("/changes?toBlock=110"), "fromBlock"],
    ["no last block", at("/changes?fromBlock=110"), "toBlock"],
    ["two first blocks", at("/changes?fromBlock=110&fromTimestamp=1700000220&toBlock=112"), "fromTimestamp"],
    ["a first block after the last", at("/changes?fromBlock=112&toBlock=110"), "fromBlock"],
    [
      "a first time after the last block",
      at(`/changes?fromTimestamp=${timestampOf(112)}&toBlock=110`),
      "fromTimestamp",
    ],
    [
      "a first time after the last, of the same block",
      at(`/changes?fromTimestamp=${timestampOf(110) + 1}&toTimestamp=${timestampOf(110)}`),
      "fromTimestamp",
    ],
    ["a first block before the first indexed", at("/time-weighted?fromBlock=99&toBlock=110"), "fromBlock"],
    ["a first block beyond the head", at("/time-weighted?fromBlock=121&toBlock=99999999999"), "fromBlock"],
    ["no account", at("/history?fromBlock=100&toBlock=110"), "account"],
    ["a malformed account", at("/history?fromBlock=100&toBlock=110&account=0x12"), "account"],
    ["an unknown weight", at("/time-weighted?fromBlock=100&toBlock=110&weight=hours"), "weight"],
    ["a range in which no second passes", at("/time-weighted?fromBlock=110&toBlock=110&weight=seconds"), "weight"],
    ["no answer to yes or no", at("/time-weighted?fromBlock=100&toBlock=110&lookThrough=maybe"), "lookThrough"],
    ["empty users", at("/time-weighted?fromBlock=100&toBlock=110&users="), "users"],
    ["a malformed token", "/balances/0x1/changes?fromBlock=100&toBlock=110", "token"],
    ["a chain that is not served", at("/changes?fromBlock=100&toBlock=110&chainId=1"), "chainId"],
  ])("%s is 400 naming %3$s", async (_, path, parameter) => {
    const refusal = await refused(path);
    expect(refusal).toMatchObject({ status: 400, code: "INVALID_INPUT", details: { parameter } });
    expect(refusal.message).toContain(parameter);
  });

  it("is told which time is the first that can be asked for", async () => {
    const first = timestampOf(100);
    for (const [path, parameter] of [
      [at(`?timestamp=${first - 1}`), "timestamp"],
      [at(`/changes?fromTimestamp=${first - 1}&toBlock=110`), "fromTimestamp"],
      [`/tokens?addresses=${PLAIN}&timestamp=${first - 1}`, "timestamp"],
    ] as const)
      expect(await refused(path)).toMatchObject({
        message: `${parameter}: ${first - 1} lies before the first indexed block, 100, which has the time ${first}`,
        details: { parameter, firstBlock: 100, firstTimestamp: first },
      });
    expect((await gateway.get(at(`?timestamp=${first}`))).headers.get("x-block-number")).toBe("100");
  });

  it("are refused in GraphQL in its own words", async () => {
    const named = async (field: string) => (await gateway.graphql(`{ ${field} }`)).errors?.[0]?.message;
    const changes = (from: string, to: string) =>
      `balanceChanges(token: "${PLAIN}", from: ${from}, to: ${to}) { totalCount }`;
    expect(await named(changes("{number: 112}", "{number: 110}"))).toContain("from.number");
    expect(await named(changes("{}", "{number: 110}"))).toContain("from: give exactly one");
    expect(await named(changes("{number: 100}", "{number: 110, latest: true}"))).toContain("to: give exactly one");
    expect(await named(changes("{number: 100}", "{number: 121}"))).toContain("to.number");
    expect(
      await named(
        `timeWeightedBalances(token: "${PLAIN}", from: {number: 110}, to: {number: 110}, weight: SECONDS) { totalCount }`,
      ),
    ).toContain("weight: no second passes from block 110 to block 110; ask with `blocks`");
    expect(await named(`priceHistory(token: "${PLAIN}", from: {number: 100}, points: 101) { token }`)).toContain(
      "points: must be at most 100; for more ask for parts of the range, one by one",
    );
    expect(
      await named(
        `balanceHistory(token: "${PLAIN}", account: "${ALICE}", from: {number: 100}, after: "x") { account }`,
      ),
    ).toContain("after");
    const [later, earlier] = [`{timestamp: ${timestampOf(110) + 1}}`, `{timestamp: ${timestampOf(110)}}`];
    expect(
      await named(`priceHistory(token: "${PLAIN}", from: ${later}, to: ${earlier}, points: 2) { token }`),
    ).toContain("from.timestamp");
  });

  it("name the cursor's own parameter where it is of another block", async () => {
    const page = (more: string, block: number) =>
      gateway.graphql(
        `{ facts(block: {number: ${block}}) { transfers(last: 1${more}) { pageInfo { startCursor } } } }`,
      );
    const { data } = await page("", 112);
    const { startCursor } = (data as { facts: { transfers: { pageInfo: { startCursor: string } } } }).facts.transfers
      .pageInfo;
    const { errors } = await page(`, before: "${startCursor}"`, 110);
    expect(errors?.[0]?.message).toBe("before: belongs to block 112, not 110");
  });
});

describe("what cannot be answered", () => {
  const questions = ["changes?", "time-weighted?", `history?account=${ALICE}&`];

  it.each(questions)("%s refuses tokens and blocks as balances does", async (question) => {
    const of = (token: string, from: number, to: number | string) =>
      refused(`/balances/${token}/${question}fromBlock=${from}&toBlock=${to}`);
    expect(await of(UNKNOWN, 100, 110)).toMatchObject({ status: 404, code: "TOKEN_NOT_TRACKED" });
    expect(await of(BROKEN, 100, 110)).toMatchObject({ status: 409, code: "TOKEN_NOT_STANDARD" });
    expect(await of(BREAKING, 100, 114)).toMatchObject({ status: 409, code: "TOKEN_NOT_STANDARD" });
    expect(await of(PLAIN, 100, 117)).toMatchObject({ status: 503, code: "CATCHING_UP" });
    expect(await of(PLAIN, 117, 118)).toMatchObject({ status: 503, code: "CATCHING_UP" });
    const { status } = await gateway.get(`/balances/${BREAKING}/${question}fromBlock=100&toBlock=112`);
    expect(status).toBe(200);
  });

  it("holders-count follows the same rules", async () => {
    expect(await refused(`/balances/${BROKEN}/holders-count?blockNumber=110`)).toMatchObject({
      code: "TOKEN_NOT_STANDARD",
    });
    expect(await refused(`/balances/${PLAIN}/holders-count?blockNumber=117`)).toMatchObject({ code: "CATCHING_UP" });
    expect(await codeOf(`holdersCount(token: "${UNKNOWN}") { holders }`)).toBe("TOKEN_NOT_TRACKED");
  });

  it("tokens without decimals have raw amounts and no others", async () => {
    for (const token of [UNREAD, UNITLESS]) {
      const { text, headers } = await gateway.get(`/balances/${token}?blockNumber=105&format=csv`);
      expect(text.split("\n")[1]).toMatch(new RegExp(`^${ALICE},[78],,[78],0,0,0,0,0,0$`));
      // Decimals that are still to be read would change the answer.
      expect(headers.get("cache-control")).toBe(token === UNREAD ? "no-cache" : "public, max-age=31536000, immutable");
    }
  });

  it("a time is refused while the block it means may not be here", async () => {
    const now = `/balances/${PLAIN}?timestamp=${timestampOf(115) + 100}`;
    expect((await gateway.get(now)).headers.get("x-block-number")).toBe("115");
    await database.sql`update tidemark.chain_head set chain_head = 126, highest_head = 126`;
    expect(await refused(now)).toMatchObject({ status: 503, code: "CATCHING_UP" });
    expect((await gateway.get(`/balances/${PLAIN}?timestamp=${timestampOf(112)}`)).status).toBe(200);
    await database.sql`update tidemark.chain_head set chain_head = 120, highest_head = 120`;
    // Ponder starts again and brings its rows back: what is folded stays
    await database.sql`create table blocks_before as select * from facts_small.block where number > 107`;
    await database.sql`delete from facts_small.block where number > 107`;
    await followFacts(database.sql, smallIndex);
    expect((await gateway.get(`/balances/${PLAIN}?timestamp=${timestampOf(109)}`)).status).toBe(200);
    await database.sql`insert into facts_small.block select * from blocks_before`;
  });

  it("ranges up to a block that is not folded yet are 503 CATCHING_UP, and answered once it is", async () => {
    const deposit = (logIndex: number): Fact => ({
      kind: "deposit",
      block: 116,
      logIndex,
      token: PLAIN,
      from: ALICE,
      to: ALICE,
      amount: 1n,
    });
    await insertBlocks(database.sql, smallIndex.ponderSchema, { from: 116, to: 117 });
    await insertFacts(
      database.sql,
      smallIndex.ponderSchema,
      Array.from({ length: 20_001 }, (_, i) => deposit(i)),
    );
    const pathOf = (question: string) => `/balances/${PLAIN}/${question}fromBlock=101&toBlock=117`;
    for (const question of questions)
      expect(await refused(pathOf(question))).toMatchObject({ status: 503, code: "CATCHING_UP" });
    await followFacts(database.sql, smallIndex);
    for (const question of questions) expect((await gateway.get(pathOf(question))).status).toBe(200);
  });
});

describe("a series of a token whose ledger has broken", () => {
  it("has no holders, and everything else, without an error for each step", async () => {
    const { status } = await gateway.data<{ status: { lastSyncedTimestamp: number } }>(
      "{ status { lastSyncedTimestamp } }",
    );
    const from = status.lastSyncedTimestamp - 2 * 3_600;
    const { tokenSeries } = await gateway.data<{ tokenSeries: object[] }>(
      `{ tokenSeries(token: "${BROKEN}", interval: hour, from: ${from}) { transfers wallets holders priceUSD } }`,
    );
    expect(tokenSeries.at(-1)).toEqual({ transfers: 1, wallets: null, holders: null, priceUSD: null });
  });
});
