// What goes wrong inside is in the log under the id that the caller was given, whichever skin it came through.

import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { Database } from "../../gateway/database/database.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import { chainFixture } from "../support/gateway-fixture.ts";

const odd = () => Promise.reject(new Error("nobody has thought of this"));
const database = { rows: odd, connect: odd, close: async () => {} } as unknown as Database;
const service = openService({ chains: [chainFixture({ chainId: 31337, startBlock: 0 })], database });

const lines: Record<string, unknown>[] = [];
const app = createApp(service, pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) }));

const QUESTION = JSON.stringify({ query: "{ tokens(first: 1) { totalCount } }" });
const ask = async (path: string, init: RequestInit = {}) => {
  lines.length = 0;
  const headers = { "content-type": "application/json", "x-request-id": "asked.by-me" };
  const response = await app.request(path, { ...init, headers });
  const failed = lines.filter(({ level }) => level === 50);
  return { id: response.headers.get("x-request-id"), text: await response.text(), failed };
};

describe("a failure of our own", () => {
  const token = `0x${"1".repeat(40)}`;

  it.each([
    ["REST", `/balances/${token}?blockNumber=1`, {}],
    ["GraphQL", "/graphql", { method: "POST", body: QUESTION }],
    ["GraphQL that was asked before", "/graphql", { method: "POST", body: QUESTION }],
    ["GraphQL in the URL", `/graphql?query=${encodeURIComponent("{ tokens(first: 1) { totalCount } }")}`, {}],
  ])("is logged once under the request's id: %s", async (_, path, init) => {
    const { id, text, failed } = await ask(path, init);
    expect(id).toBe("asked.by-me");
    expect(text).toContain('"INTERNAL"');
    expect(text).not.toContain("nobody has thought");
    expect(failed).toMatchObject([{ requestId: "asked.by-me", err: { message: "nobody has thought of this" } }]);
  });

  it("gets an id where the caller's is none", async () => {
    const response = await app.request("/health", { headers: { "x-request-id": "a b" } });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(lines.at(-1)).toMatchObject({ path: "/health", status: 200, msg: "answered" });
  });
});
