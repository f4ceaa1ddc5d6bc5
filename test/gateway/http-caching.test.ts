// Tags, 304s and encodings: what is the same answer, for how long, and in which bytes.
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeLive } from "../../fold/revision.ts";
import { acceptedEncoding } from "../../gateway/http/compression.ts";
import { cutBackTo, followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, switchGateways, timestampOf } from "../support/index-fixture.ts";
import { ALICE, BOB, CAROL, PLAIN, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const FOREVER = "public, max-age=31536000, immutable";

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

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  gateway.app.request(path, { headers, method });
/** The fold follows what happens in Ponder's tables. */
async function addBlock(number: number): Promise<void> {
  await database.sql`insert into facts_small.block values (${number}, ${hashOf(number)}, ${timestampOf(number)}, null)`;
  await followFacts(database.sql, smallIndex);
}
async function takeBack(number: number): Promise<void> {
  await database.sql`delete from facts_small.block where number >= ${number}`;
  await cutBackTo(database.sql, smallIndex, number - 1);
}
async function replaceHead(fork: number): Promise<void> {
  await database.sql`update facts_small.block set hash = ${hashOf(115, fork)} where number = 115`;
  await followFacts(database.sql, smallIndex);
}
const tagOf = async (path: string) => (await ask(path)).headers.get("etag") ?? "";
const whole = `/balances/${PLAIN}?blockNumber=108`;

describe("an answer that says how far the index is", () => {
  it("has a weak tag, is revalidated, and is 304 while its block says the same", async () => {
    const answer = await ask(whole);
    const etag = answer.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    for (const header of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const same = await ask(whole, { "if-none-match": header });
      expect([same.status, await same.text()]).toEqual([304, ""]);
      expect(same.headers.get("etag")).toBe(etag);
      expect(same.headers.get("x-block-number")).toBe("108");
      expect(same.headers.get("vary")).toBe("Accept-Encoding");
    }
    expect((await ask(whole, { "if-none-match": '"other"' })).status).toBe(200);
    await addBlock(116);
    expect((await ask(whole, { "if-none-match": etag })).status).toBe(304);
    await takeBack(116);
  });

  it("has another tag for every other question", async () => {
    const questions = [
      whole,
      `/balances/${PLAIN}?blockNumber=107`,
      `${whole}&users=${ALICE}`,
      `${whole}&users=${BOB},${ALICE}`,
      `${whole}&users=${ALICE},${BOB}`,
    ];
    const tags = await Promise.all(questions.map(tagOf));
    expect(new Set(tags).size).toBe(questions.length);
  });

  it("has another tag when blocks were taken back, as they may come back under their hashes with other facts, but not of final blocks", async () => {
    const [newest, final] = [`/balances/${PLAIN}?blockNumber=115`, `/balances/${PLAIN}?blockNumber=100`];
    const before = [await tagOf(newest), await tagOf(final)];
    await database.sql.unsafe(`update ${smallIndex.foldSchema}.meta set rewinds = rewinds + 1`);
    expect(await tagOf(newest)).not.toBe(before[0]);
    expect(await tagOf(final)).toBe(before[1]);
    await database.sql.unsafe(`update ${smallIndex.foldSchema}.meta set rewinds = rewinds - 1`);
    expect(await tagOf(newest)).toBe(before[0]);
  });

  it("has another tag when a reorganisation replaced its block, when it moved to another index, and when a flag was raised", async () => {
    const newest = `/balances/${PLAIN}?blockNumber=115`;
    const before = await tagOf(newest);
    await replaceHead(1);
    const replaced = await tagOf(newest);
    await replaceHead(0);
    const back = await tagOf(newest);
    expect(new Set([before, replaced, back]).size).toBe(3);
    await changeLive(database.sql, 31337, {
      change: `insert into tidemark.token_flag
        values (31337, decode(substr($1, 3), 'hex'), 'drift', 110, 'balanceOf differs from events')`,
      parameters: [PLAIN],
    });
    expect(await tagOf(newest)).not.toBe(back);
    await changeLive(database.sql, 31337, { change: "delete from tidemark.token_flag", parameters: [] });
    const unflagged = await tagOf(newest);
    const elsewhere = { ponderSchema: "facts_other", foldSchema: "fold_other" };
    await buildIndex(database.sql, { ...smallIndex, ...elsewhere });
    expect(await tagOf(newest)).not.toBe(unflagged);
    await switchGateways(database.sql, smallIndex);
  });
});

describe("an answer about its blocks alone", () => {
  it.each([
    [`${whole}&format=csv`, "108", FOREVER],
    [`${whole}&format=ndjson`, "108", FOREVER],
    [`/balances/${PLAIN}?blockNumber=110&format=csv`, "110", FOREVER],
    [`/balances/${PLAIN}?blockNumber=111&format=csv`, "111", "no-cache"],
    [`/balances/${PLAIN}?blockNumber=99999999999&format=csv`, "115", "no-cache"],
    [`/balances/${PLAIN}?timestamp=${timestampOf(108)}&format=csv`, "108", FOREVER],
    // The next block could still come with the same second.
    [`/balances/${PLAIN}?timestamp=${timestampOf(110)}&format=csv`, "110", "no-cache"],
    [`/balances/${PLAIN}/changes?fromBlock=101&toBlock=110`, "110", FOREVER],
    [`/balances/${PLAIN}/changes?fromBlock=101&toBlock=112`, "112", "no-cache"],
    [`/balances/${PLAIN}/time-weighted?fromBlock=101&toBlock=110&format=csv`, "110", FOREVER],
    [`/balances/${PLAIN}/history?account=${ALICE}&fromBlock=101&toBlock=110`, "110", FOREVER],
    [`/balances/${PLAIN}/holders-count?blockNumber=110`, "110", FOREVER],
    [`/balances/${PLAIN}/holders-count?blockNumber=112`, "112", "no-cache"],
  ])("%s names block %s and may be cached: %s", async (path, block, cacheControl) => {
    const answer = await ask(path);
    const etag = answer.headers.get("etag") ?? "";
    expect(answer.status).toBe(200);
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect([answer.headers.get("x-block-number"), answer.headers.get("cache-control")]).toEqual([block, cacheControl]);
    expect(answer.headers.get("vary")).toBe("Accept-Encoding");
    const head = await ask(path, {}, "HEAD");
    expect([head.status, head.headers.get("etag")]).toEqual([200, etag]);
    const same = await ask(path, { "if-none-match": etag });
    expect([same.status, same.headers.get("cache-control"), await same.text()]).toEqual([304, cacheControl, ""]);
  });

  it("has the same tag before and after the head moves, and another per format", async () => {
    const path = `${whole}&format=csv`;
    const plain = await tagOf(path);
    expect(await tagOf(`${whole}&format=ndjson`)).not.toBe(plain);
    await addBlock(116);
    expect(await tagOf(path)).toBe(plain);
    await takeBack(116);
  });

  it.each(["csv", "parquet"])("has another tag per encoding, which it has as 304 too: %s", async (format) => {
    const path = `${whole}&format=${format}`;
    const plain = await tagOf(path);
    for (const encoding of ["br", "gzip"]) {
      const tag = `${plain.slice(0, -1)}-${encoding}"`;
      const packed = await ask(path, { "accept-encoding": encoding });
      expect(packed.headers.get("etag")).toBe(tag);
      const same = await ask(path, { "accept-encoding": encoding, "if-none-match": tag });
      expect([same.status, same.headers.get("etag"), same.headers.get("content-encoding")]).toEqual([304, tag, null]);
    }
  });

  it("never marks a refusal", async () => {
    const refused = await ask(`/balances/${PLAIN}/changes?fromBlock=99&toBlock=110`);
    expect([refused.status, refused.headers.get("etag"), refused.headers.get("cache-control")]).toEqual([
      400,
      null,
      null,
    ]);
  });
});

describe("encodings", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["gzip, deflate, br", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["BR", "br"],
    ["br;q=0, gzip;q=0.1", "gzip"],
    ["*", "br"],
    ["br;q=0, *;q=0.5", "gzip"],
    ["gzip;q=0, br;q=0", undefined],
    ["*;q=0", undefined],
  ])("%s chooses %s", (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding);
  });

  it("hold the same bytes", async () => {
    for (const path of [whole, `${whole}&format=csv`, `${whole}&format=parquet`, "/status", "/openapi.json"]) {
      const plain = Buffer.from(await (await ask(path)).arrayBuffer());
      const [br, gzip] = await Promise.all(
        ["br", "gzip"].map((encoding) => ask(path, { "accept-encoding": encoding })),
      );
      expect([br?.headers.get("content-encoding"), gzip?.headers.get("content-encoding")]).toEqual(["br", "gzip"]);
      const bytes = async (answer: Response | undefined) => Buffer.from(await answer!.arrayBuffer());
      expect(brotliDecompressSync(await bytes(br))).toEqual(plain);
      expect(gunzipSync(await bytes(gzip))).toEqual(plain);
    }
  });
});

describe("exports", () => {
  it("are exact, in the order of the interface, with a documented header", async () => {
    const csv = await (await ask(`/balances/${PLAIN}?blockNumber=112&format=csv`)).text();
    expect(csv.split("\n")).toEqual([
      "account,amount,amountDecimal,balance,v2-pool,island,farm,reward_vault,external_vaults,v3-position",
      `${CAROL},1500001,1.500001,1500001,0,0,0,0,0,0`,
      `${ALICE},1499999,1.499999,1499999,0,0,0,0,0,0`,
      "",
    ]);
  });

  it("give objects line by line", async () => {
    const text = await (await ask(`/balances/${PLAIN}?blockNumber=104&format=ndjson&users=${BOB},${ALICE}`)).text();
    const entry = (account: string, amount: string, amountDecimal: string) =>
      `{"account":"${account}","amount":"${amount}","amountDecimal":"${amountDecimal}","sources":[{"source":"balance","amount":"${amount}","amountDecimal":"${amountDecimal}"}]}\n`;
    expect(text).toBe(entry(BOB, "1000000", "1") + entry(ALICE, "2000000", "2"));
  });

  it("have no rows where there is nothing", async () => {
    const none = `/balances/${PLAIN}?blockNumber=100`;
    expect(await (await ask(`${none}&format=ndjson`)).text()).toBe("");
    expect((await (await ask(`${none}&format=csv`)).text()).split("\n")).toHaveLength(2);
    const changes = await ask(`/balances/${PLAIN}/changes?fromBlock=105&toBlock=107`);
    expect(await changes.json()).toEqual({ results: [], token: PLAIN, fromBlock: 105, toBlock: 107 });
  });
});
