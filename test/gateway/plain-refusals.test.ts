// What is refused before anything is read: in plain words, also where a schema has none of its own, and whatever the method.
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, describe, expect, it } from "vitest";
import { createApp, listen } from "../../gateway/server.ts";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";

const log = pino({ level: "silent" });
const gateway = openGateway("postgres://nobody@127.0.0.1:1/none", chainFixture({ chainId: 31337, startBlock: 0 }));
afterAll(() => gateway.close());

const TOKEN = `0x${"11".repeat(20)}`;

async function refusal(path: string, body?: string) {
  const headers = { "content-type": "application/json" };
  const answer = await gateway.app.request(path, body === undefined ? {} : { method: "POST", headers, body });
  const { error } = (await answer.json()) as { error: { message: string } };
  return [answer.status, error.message];
}

const HUGE = "99999999999999999999999";

describe("a body that is wrong", () => {
  it.each([
    [
      "a number that JSON cannot hold",
      "/balances/x",
      `{"blockNumber":${HUGE}}`,
      "blockNumber: must be a block number in",
    ],
    ["a time that JSON cannot hold", "/balances/x", `{"timestamp":${HUGE}}`, "timestamp: must be whole seconds since"],
    ["a list", "/balances/x", "[]", "body: must be an object, in braces"],
    [
      "text for a list of users",
      "/balances/x",
      `{"blockNumber":1,"users":"${TOKEN}"}`,
      "users: must be a list of addr",
    ],
    ["no blocks", "/balances/x/at-blocks", "{}", "blocks: must be a list of block numbers, e.g. [1200, 1300]"],
    ["a huge block", "/balances/x/at-blocks", `{"blocks":[1,${HUGE}]}`, "blocks: item 2 must be a whole number"],
    ["no addresses", "/tokens", "{}", "addresses: must be a list of addresses"],
    [
      "nothing among the addresses",
      "/tokens",
      `{"addresses":["${TOKEN}",null]}`,
      "addresses: item 2 must be an address, or the native coin's symbol",
    ],
    ["no statement", "/sql", "{}", "query: must be one SELECT as text"],
    ["an unknown form", "/sql", '{"query":"select 1","format":"xml"}', "format: must be json, ndjson, csv or parquet"],
    ["half a chain", "/sql", '{"query":"select 1","chainId":1.5}', "chainId: must be a chain id in digits"],
    ["text for a campaign", "/rewards", '"x"', "body: must be an object, in braces"],
    ["a huge network", "/snapshot/score", `{"options":{},"network":${HUGE}}`, "network: must be a chain id in digits"],
  ])("is refused with what it must be: %s", async (...[, path, body, words]) => {
    const [status, message] = await refusal(path.replace("x", TOKEN), body);
    expect([status, message]).toEqual([400, expect.stringContaining(words)]);
    expect(message).not.toMatch(/expected|received|invalid input|too (?:big|small)/i);
  });

  it("names every field of a campaign that is missing or is not there", async () => {
    const [, message] = await refusal("/rewards", '{"chainId":1,"reward":[],"other":1}');
    expect(message).toContain("token: is missing; it must be a 0x-prefixed address");
    expect(message).toContain("reward: must be an object, in braces");
    expect(message).toContain("range: is missing");
    expect(message).toContain("other: is no field; leave it out");
    expect(message).not.toMatch(/expected|received|unrecognized/i);
  });
});

describe("a URL that is wrong", () => {
  it.each([
    [`/balances/${TOKEN}?blockNumber=1&users=${TOKEN},bob`, "users: item 2 must be a 0x-prefixed address"],
    [`/balances/${TOKEN}/at-blocks?blocks=1&users=${TOKEN},bob`, "users: item 2 must be a 0x-prefixed address"],
    [`/launch/31337/tokens?addresses=bob,${TOKEN}`, "addresses: item 1 must be a 0x-prefixed address"],
  ])("is refused with the place in the list: %s", async (path, words) => {
    expect(await refusal(path)).toEqual([400, expect.stringContaining(words)]);
  });

  it.each([
    [`/balances/${TOKEN}?blockNumber=latest`, "blockNumber: must be a block number in digits"],
    [`/tokens?addresses=${TOKEN}&blockNumber=latest`, "blockNumber: must be a block number in digits"],
    [`/balances/${TOKEN}/changes?fromBlock=1&toBlock=latest`, "toBlock: must be a block number in digits"],
  ])("is refused with the way to ask for the newest block: %s", async (path, words) => {
    expect(await refusal(path)).toEqual([400, expect.stringContaining(words)]);
    expect((await refusal(path))[1]).toContain("99999999999 asks for the last synced one");
  });

  it.each([
    [`/balances/${TOKEN}`, "blockNumber: is missing; give a block number, or a time as timestamp instead"],
    [
      `/balances/${TOKEN}/changes?fromBlock=1`,
      "toBlock: is missing; give a block number, or a time as toTimestamp instead",
    ],
  ])("is refused with both parameters that name a block: %s", async (path, message) => {
    expect(await refusal(path)).toEqual([400, message]);
  });

  it("is refused without the account whose history it wants", async () => {
    const message = "account: is missing; it must be a 0x-prefixed address of 40 hex digits";
    expect(await refusal(`/balances/${TOKEN}/history?fromBlock=1&toBlock=2`)).toEqual([400, message]);
  });

  it.each([
    [`/balances/${TOKEN}?blockNumber=1&users[]=${TOKEN}`, "users[]", "users"],
    [`/balances/${TOKEN}?blockNumber=1&users%5B0%5D=${TOKEN}&users%5B1%5D=${TOKEN}`, "users[0]", "users"],
    [`/tokens?addresses[]=${TOKEN}&addresses[]=${TOKEN}`, "addresses[]", "addresses"],
    [`/launch/31337/tokens?addresses[0]=${TOKEN}`, "addresses[0]", "addresses"],
    ["/router/quote?protocols[]=v2", "protocols[]", "protocols"],
    ["/quote?providers[]=enso", "providers[]", "providers"],
    [`/balances/${TOKEN}/at-blocks?blocks[]=1`, "blocks[]", "blocks"],
  ])("is refused with a list item by item, instead of being answered without it: %s", async (path, name, list) => {
    expect(await refusal(path)).toEqual([
      400,
      `${name}: is not read; send ${list} once, its items with commas between`,
    ]);
  });

  it.each([
    [`/balances/${TOKEN}?blockNumber=1&users=`, "users: item 1 is empty; give addresses, commas between"],
    [`/balances/${TOKEN}?blockNumber=1&users=${TOKEN},`, "users: item 2 is empty; give addresses, commas between"],
    [`/tokens?addresses=${TOKEN},,${TOKEN}`, "addresses: item 2 is empty; give addresses, commas between"],
  ])("is refused with the place of an empty item: %s", async (path, message) => {
    expect(await refusal(path)).toEqual([400, message]);
  });

  it.each([
    [`/vaults?chainId=31337&limit=${HUGE}`, "limit: must be at most 1000"],
    [`/vaults?chainId=31337&limit=-${HUGE}`, "limit: must be at least 1"],
    [`/vaults?chainId=31337&offset=${HUGE}`, "offset: must be at most 1000000000"],
    [`/launch/31337/tokens?limit=${HUGE}`, "limit: must be at most 100"],
    [`/launch/31337/tokens?page=${"9".repeat(400)}`, "page: must be at most 999999999"],
  ])("is refused with the bound of a number that is too large: %2$s", async (path, message) => {
    expect(await refusal(path)).toEqual([400, message]);
  });

  const pair = `tokenInAddress=${TOKEN}&tokenInChainId=31337&tokenOutAddress=ETH&tokenOutChainId=31337`;
  it.each([
    ["/vaults", "chainId: is missing; served: 31337"],
    ["/vaults?chainId=main", "chainId: must be a chain id in digits; served: 31337"],
    ["/launch/main/tokens", "chainId: must be a chain id in digits; served: 31337"],
    ["/quote", "tokenInChainId: is missing; served: 31337"],
    ["/router/quote?tokenInChainId=31337", "tokenOutChainId: is missing; served: 31337"],
    [
      `/quote?${pair}&type=exactIn`,
      "amount: is missing; it must be a whole number of the token's smallest unit in digits",
    ],
    [`/router/quote?${pair}&type=exactIn&amount=`, "amount: is missing; it must be a whole number of the token's"],
    [`/quote?${pair}&amount=1`, "type: is missing; it must be exactIn or exactOut"],
    [`/router/quote?${pair}&amount=1`, "type: is missing; it must be exactIn or exactOut"],
  ])("is refused with what is missing, and what there is: %s", async (path, words) => {
    expect(await refusal(path)).toEqual([400, expect.stringContaining(words)]);
  });

  it("is not told to begin a range at the newest block", async () => {
    const [, message] = await refusal(`/balances/${TOKEN}/changes?fromBlock=latest&toBlock=2`);
    expect(message).toBe("fromBlock: must be a block number in digits, e.g. 1200");
  });
});

describe("a URL that is too long for a request", () => {
  it("is refused in words that a page of another origin can read, and does not stop the next one", async () => {
    const server = await listen(createApp(gateway.service, log), { host: "127.0.0.1", port: 0 });
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const length of [1_100_000, 3_000_000]) {
      const answer = await fetch(`${base}/balances/${TOKEN}?blockNumber=1&users=${"0".repeat(length)}`);
      expect([answer.status, await answer.json()]).toEqual([
        431,
        { error: { code: "HEADERS_TOO_LARGE", message: expect.stringContaining("lists may be the body of a POST") } },
      ]);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("content-type")).toBe("application/json");
    }
    expect((await fetch(`${base}/health`)).status).toBe(200);
    server.closeAllConnections();
    server.close();
  });
});

describe("an answer of JSON alone", () => {
  it.each([
    `/tokens?addresses=${TOKEN}`,
    "/vaults?chainId=31337",
    `/vaults/${TOKEN}?chainId=31337`,
    "/baults?chainId=31337",
    "/launch/31337/tokens?page=1",
    `/launch/31337/tokens/${TOKEN}?page=1`,
    "/launch/31337/tokenList.json?page=1",
    "/quote?type=exactIn",
    "/router/quote?type=exactIn",
  ])("is refused in another form, and not silently given as JSON: %s", async (path) => {
    const message = "format: must be json, or be left out: this answer has no other form";
    for (const format of ["csv", "ndjson", "parquet"])
      expect(await refusal(`${path}&format=${format}`)).toEqual([400, message]);
    expect((await refusal(`${path}&format=json`))[1]).not.toBe(message);
  });

  it("is refused in another form where it is asked for by POST", async () => {
    for (const path of ["/tokens", "/snapshot/score"])
      expect((await refusal(`${path}?format=csv`, "{}"))[1]).toContain("this answer has no other form");
  });
});

describe("HEAD /graphql", () => {
  it.each(["query=%7B__typename%7D", "", "query=%7B"])("has the status of a GET, and no body: %s", async (query) => {
    const headers = { accept: "application/json" };
    const get = await gateway.app.request(`/graphql?${query}`, { headers });
    const head = await gateway.app.request(`/graphql?${query}`, { method: "HEAD", headers });
    expect([head.status, head.headers.get("content-type")]).toEqual([get.status, get.headers.get("content-type")]);
    expect(await head.text()).toBe("");
  });
});
