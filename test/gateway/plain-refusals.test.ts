// What is refused before anything is read: in plain words, also where a schema has none of its own, and whatever the method.
import { afterAll, describe, expect, it } from "vitest";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";

const gateway = openGateway("postgres://nobody@127.0.0.1:1/none", chainFixture({ chainId: 31337, startBlock: 0 }));
afterAll(() => gateway.close());

const TOKEN = `0x${"11".repeat(20)}`;

async function refusal(path: string, body?: string) {
  const headers = { "content-type": "application/json" };
  const answer = await gateway.app.request(path, body === undefined ? {} : { method: "POST", headers, body });
  const { error } = (await answer.json()) as { error: { message: string } };
  return [answer.status, error.message];
}

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
  ])("is refused in another form, and not given as JSON without a word: %s", async (path) => {
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
