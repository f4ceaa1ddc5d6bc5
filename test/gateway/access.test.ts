// The gateway's door: keys, the rate limit, who counts as one client, and the headers on every answer.
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, describe, expect, it } from "vitest";
import { readEnvironment } from "../../gateway/env.ts";
import { networkOf } from "../../gateway/http/client-address.ts";
import type { AccessSettings } from "../../gateway/http/guard.ts";
import { RateLimiter } from "../../gateway/http/rate-limit.ts";
import { createApp, listen } from "../../gateway/server.ts";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";

const KEY = "0123456789abcdef";
const gateway = openGateway("postgres://nobody@127.0.0.1:1/none", chainFixture({ chainId: 31337, startBlock: 0 }));
afterAll(() => gateway.close());

function door(access: Partial<AccessSettings>) {
  const app = createApp(gateway.service, pino({ level: "silent" }), { access: { keys: [], ...access } });
  return async (path: string, headers: Record<string, string> = {}) => {
    const response = await app.request(path, { headers });
    const body = (await response.json().catch(() => ({}))) as { error?: { code: string } };
    return { status: response.status, code: body.error?.code, headers: response.headers };
  };
}

/** A path that answers without a database: 400 for the token. */
const BALANCES = "/balances/0x1";

describe("the rate limit", () => {
  it("lets a burst through, then as many evenly, and says when to come back", () => {
    let now = 0;
    const limiter = new RateLimiter({ requests: 3, seconds: 30 }, () => now);
    const isLetIn = (client = "a") => {
      try {
        limiter.admit(client);
        return true;
      } catch (error) {
        return (error as { retryAfterSeconds: number }).retryAfterSeconds;
      }
    };
    expect([isLetIn(), isLetIn(), isLetIn(), isLetIn()]).toEqual([true, true, true, 10]);
    expect(isLetIn("b")).toBe(true);
    now = 9_500;
    expect(isLetIn()).toBe(1);
    now = 10_000;
    expect([isLetIn(), isLetIn()]).toEqual([true, 10]);
    now = 1_000_000;
    expect([isLetIn(), isLetIn(), isLetIn(), isLetIn()]).toEqual([true, true, true, 10]);
  });

  it("remembers a bounded number of clients, the latest ones in preference", () => {
    let now = 0;
    const limiter = new RateLimiter({ requests: 1, seconds: 3_600 }, () => now);
    limiter.admit("first");
    for (let i = 0; i < 60_000; i++) {
      now += 0.001;
      limiter.admit(`other ${i}`);
    }
    expect(limiter.size).toBeLessThanOrEqual(50_000);
    expect(() => limiter.admit("other 59999")).toThrow("Retry in");
  });

  it("is off unless set", async () => {
    const ask = door({});
    for (let i = 0; i < 50; i++) expect((await ask(BALANCES)).status).toBe(400);
  });

  it("answers 429 with Retry-After, and never counts what balancers and monitors ask", async () => {
    const ask = door({ rate: { requests: 2, seconds: 60 } });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask(BALANCES)).status);
    expect(statuses).toEqual([400, 400, 429]);
    const refused = await ask(BALANCES);
    expect(refused).toMatchObject({ status: 429, code: "RATE_LIMITED" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    for (let i = 0; i < 5; i++) expect((await ask("/health")).status).toBe(200);
  });

  it("tells clients apart by the operator's header only where it is set, and then by its last item", async () => {
    const from = (address: string) => ({ "x-forwarded-for": address });
    const unset = door({ rate: { requests: 1, seconds: 60 } });
    expect((await unset(BALANCES, from("192.0.2.1"))).status).toBe(400);
    expect((await unset(BALANCES, from("192.0.2.2"))).status).toBe(429);
    const set = door({ rate: { requests: 1, seconds: 60 }, clientAddressHeader: "x-forwarded-for" });
    expect((await set(BALANCES, from("192.0.2.1"))).status).toBe(400);
    expect((await set(BALANCES, from("192.0.2.2"))).status).toBe(400);
    expect((await set(BALANCES, from("198.51.100.9, 192.0.2.1"))).status).toBe(429);
  });

  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["192.0.2.7:50123", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["[2001:db8:0001:2::9]:443", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ])("counts %s as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("keys", () => {
  const ask = door({ keys: [KEY, "another-key-of-ours"] });

  it("are needed for everything but what is public", async () => {
    for (const path of [BALANCES, "/tokens", "/graphql?query={__typename}", "/metrics", "/nowhere"]) {
      const refused = await ask(path);
      expect(refused, path).toMatchObject({ status: 401, code: "API_KEY_NEEDED" });
      expect(refused.headers.get("www-authenticate")).toContain("Bearer");
    }
    for (const path of ["/health", "/openapi.json", "/docs"]) expect((await ask(path)).status, path).toBe(200);
    expect((await ask("/docs/assets/0/nothing.js")).code).toBe("NOT_FOUND");
    expect((await ask("/docs/assets/../../status")).code).toBe("API_KEY_NEEDED");
    expect((await ask("/launch/1/tokens")).code).toBe("INVALID_INPUT");
    expect((await ask("/launch/1/tokens", { "x-api-key": "wrong" })).code).toBe("INVALID_INPUT");
  });

  it("are taken from either header, and only whole", async () => {
    expect((await ask(BALANCES, { "x-api-key": KEY })).status).toBe(400);
    expect((await ask(BALANCES, { authorization: `Bearer ${KEY}` })).status).toBe(400);
    for (const wrong of [KEY.slice(1), `${KEY}0`, KEY.toUpperCase(), `${KEY},another-key-of-ours`])
      expect((await ask(BALANCES, { "x-api-key": wrong })).status).toBe(401);
  });

  it("are counted each by itself; clients that try out keys are counted by address", async () => {
    const limited = door({ keys: [KEY, "another-key-of-ours"], rate: { requests: 1, seconds: 60 } });
    expect((await limited(BALANCES, { "x-api-key": KEY })).status).toBe(400);
    expect((await limited(BALANCES, { "x-api-key": KEY })).status).toBe(429);
    expect((await limited(BALANCES, { "x-api-key": "another-key-of-ours" })).status).toBe(400);
    expect((await limited(BALANCES, { "x-api-key": "guess" })).status).toBe(401);
    expect((await limited(BALANCES, { "x-api-key": "guess again" })).status).toBe(429);
  });
});

describe("every answer", () => {
  it("has headers that stop browsers from guessing its type and framing it", async () => {
    const ask = door({});
    for (const path of ["/health", BALANCES, "/nowhere", "/docs", "/graphql?query={__typename}"]) {
      const { headers } = await ask(path);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
      expect(headers.get("x-powered-by"), path).toBeNull();
    }
  });

  it("may be asked for from other origins, with a key", async () => {
    const headers = {
      origin: "https://elsewhere.example",
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-api-key",
    };
    const preflight = await createApp(gateway.service, pino({ level: "silent" }), {
      access: { keys: [KEY], rate: { requests: 1, seconds: 60 } },
    }).request(BALANCES, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("GET");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("x-api-key");
  });

  it("says which methods a path takes", async () => {
    for (const [path, allowed] of [
      [BALANCES, "GET, HEAD, POST"],
      ["/status", "GET, HEAD"],
      ["/graphql", "GET, HEAD, POST"],
    ] as const) {
      const response = await gateway.app.request(path, { method: "DELETE" });
      expect(response.status, path).toBe(405);
      expect(response.headers.get("allow"), path).toBe(allowed);
      expect(await response.json()).toMatchObject({ error: { code: "METHOD_NOT_ALLOWED" } });
    }
    expect((await gateway.app.request("/nowhere", { method: "DELETE" })).status).toBe(404);
  });
});

describe("the settings", () => {
  const read = (env: Record<string, string>) =>
    readEnvironment({ CHAIN: "devnet", DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", ...env }).access;

  it("are read, and off when not set", () => {
    expect(read({})).toEqual({ rate: undefined, clientAddressHeader: undefined, keys: [] });
    expect(read({ RATE_LIMIT: "600" }).rate).toEqual({ requests: 600, seconds: 60 });
    expect(read({ RATE_LIMIT: "50/10" }).rate).toEqual({ requests: 50, seconds: 10 });
    expect(read({ CLIENT_ADDRESS_HEADER: "X-Real-IP" }).clientAddressHeader).toBe("x-real-ip");
    expect(read({ API_KEYS: ` ${KEY} ,another-key-of-ours` }).keys).toEqual([KEY, "another-key-of-ours"]);
  });

  it("give the cache 128 MB, or what CACHE_MB says", () => {
    const bytes = (env: Record<string, string>) =>
      readEnvironment({ CHAIN: "devnet", DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", ...env }).cacheBytes;
    expect([bytes({}), bytes({ CACHE_MB: "" }), bytes({ CACHE_MB: "2" })]).toEqual([
      128 * 1024 ** 2,
      128 * 1024 ** 2,
      2 * 1024 ** 2,
    ]);
  });

  it.each([
    ["PORT", "-1"],
    ["LOG_LEVEL", "loud"],
    ["CACHE_MB", "0"],
    ["CACHE_MB", "1.5"],
    ["CACHE_MB", "much"],
    ["CACHE_MB", "65537"],
    ["RATE_LIMIT", "0"],
    ["RATE_LIMIT", "10/0"],
    ["RATE_LIMIT", "many"],
    ["CLIENT_ADDRESS_HEADER", "a header"],
    ["API_KEYS", "short"],
    ["API_KEYS", `${KEY},`],
  ])("%s=%s stops the start, named and not repeated", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(new RegExp(`^${name}: must be .*\\. See \\.env\\.example\\.$`));
  });

  it("that are needed and not set stop the start, and the message says what sets them", () => {
    const said = "DATABASE_URL is not set. See .env.example; `npm start` sets it by itself.";
    expect(() => readEnvironment({ CHAIN: "devnet", DATABASE_URL: "" })).toThrow(said);
  });
});

describe("over a socket", () => {
  it("keys and the proxy's address are read from the headers as they came", async () => {
    const access = { keys: [KEY], rate: { requests: 1, seconds: 60 }, clientAddressHeader: "X-Forwarded-For" };
    const app = createApp(gateway.service, pino({ level: "silent" }), { access });
    const server = await listen(app, { host: "127.0.0.1", port: 0 });
    const { port } = server.address() as AddressInfo;
    const statusOf = (headers: Record<string, string | string[]>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asking = get({ host: "127.0.0.1", port, path: BALANCES, headers, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asking.once("error", reject);
      });
    try {
      expect(await statusOf({ "X-Api-Key": KEY })).toBe(400);
      expect(await statusOf({ Authorization: `Bearer ${KEY}` })).toBe(429);
      // of two such headers the last address counts
      expect(await statusOf({ "X-Forwarded-For": ["203.0.113.1", "203.0.113.2"] })).toBe(401);
      expect(await statusOf({ "x-forwarded-for": "198.51.100.1, 203.0.113.2" })).toBe(429);
      expect(await statusOf({ "x-forwarded-for": "203.0.113.1" })).toBe(401);
    } finally {
      server.close();
    }
  });
});
