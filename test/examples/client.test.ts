// The typed client: its types are those of the document, wrong questions do not compile, and right ones are answered.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient, type RefusedError, type Request } from "../../examples/client/client.ts";
import { largestHolders } from "../../examples/client/largest-holders.ts";
import { openapiDocument } from "../../gateway/rest/openapi/document.ts";
import { clientTypes } from "../../scripts/client-types.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { ALICE, CAROL, PLAIN, smallIndex, UNKNOWN } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;
let ask: Client;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, { ...smallIndex, chainHead: 120 });
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
  ask = createClient({
    url: "http://gateway.example/",
    fetch: (url, init) => gateway.app.request(url, init),
    retries: 0,
  });
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

/** Held by the compiler: what is wrong must not compile. */
const written: Request<"getBalances">[] = [
  { params: { token: PLAIN }, query: { blockNumber: "110", users: [ALICE], format: "csv" } },
  // @ts-expect-error the token is missing
  { query: { blockNumber: "110" } },
  // @ts-expect-error there is no such format
  { params: { token: PLAIN }, query: { format: "xml" } },
  // @ts-expect-error there is no such parameter
  { params: { token: PLAIN }, query: { block: "110" } },
];

describe("the typed client", () => {
  it("lets nothing wrong be written", () => {
    expect(written).toHaveLength(4);
  });

  it("has the types of the document: npm run client:types", () => {
    const text = readFileSync(new URL("../../examples/client/generated/api.ts", import.meta.url), "utf8");
    expect(text).toBe(clientTypes(openapiDocument("")));
  });

  it("asks by URL and by body, and joins lists with commas", async () => {
    const byUrl = await ask("getBalances", {
      params: { token: PLAIN },
      query: { blockNumber: "110", users: [ALICE, CAROL] },
    });
    const byBody = await ask("postBalances", {
      params: { token: PLAIN },
      body: { blockNumber: 110, users: [ALICE, CAROL] },
    });
    expect(byUrl.results.map(({ account, total }) => [account, total])).toEqual([
      [ALICE, 2],
      [CAROL, 1],
    ]);
    expect(byBody).toEqual(byUrl);
  });

  it("throws what the server refuses, with its code", async () => {
    const refused = (request: Request<"getBalances">) =>
      ask("getBalances", request).catch(({ status, code, details }: RefusedError) => ({ status, code, details }));
    expect(await refused({ params: { token: UNKNOWN }, query: { blockNumber: "110" } })).toMatchObject({
      status: 404,
      code: "TOKEN_NOT_TRACKED",
    });
    expect(await refused({ params: { token: PLAIN }, query: {} })).toMatchObject({
      status: 400,
      details: { parameter: "blockNumber" },
    });
  });

  it("waits as long as a busy server says, and asks again", async () => {
    const answers = [429, 503, 200];
    const patient = createClient({
      url: "http://gateway.example",
      fetch: () => Response.json({ status: "ok" }, { status: answers.shift() ?? 500, headers: { "retry-after": "0" } }),
    });
    expect(await patient("getHealth", {})).toEqual({ status: "ok" });
    expect(answers).toEqual([]);
  });

  it("says in a sentence that nobody answers, and so does the example", async () => {
    const url = "http://127.0.0.1:1";
    const refuses = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") }));
    const message = `${url} does not answer: connect ECONNREFUSED`;
    const lost = createClient({ url, fetch: refuses })("getHealth", {});
    await expect(lost).rejects.toMatchObject({ name: "UnreachableError", code: "UNREACHABLE", message });
    const example = fileURLToPath(new URL("../../examples/client/largest-holders.ts", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [example, PLAIN, "110", url], { encoding: "utf8" });
    expect([status, stderr.split("\n").length]).toEqual([1, 2]);
    expect(stderr).toContain(`UNREACHABLE: ${url} does not answer: `);
  });

  it("finds the largest holders, without a price where there is none", async () => {
    expect(await largestHolders(ask, { token: PLAIN, block: 110, most: 1 })).toEqual([
      { account: ALICE, total: 2, usd: null, sources: "balance: 2" },
    ]);
  });
});
