// The HTTP surface over a real socket: long URLs, headers, streaming to slow and vanishing clients, a restarted database.
import { type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createApp, listen } from "../../gateway/server.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, type Index } from "../support/index-fixture.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const HOLDERS = 40_000;
// of TOKEN everybody holds another amount, which the gateway sorts; of EQUAL all hold the same, which PostgreSQL sorts
const [TOKEN, EQUAL] = [tokenOf(1), tokenOf(2)];
const mint = (token: string, i: number, amount: bigint): Fact => ({
  ...{ kind: "transfer", block: 10 + Math.floor(i / 1_000), token, from: ZERO, to: accountOf(i + 1), amount },
  logIndex: (i % 1_000) + (token === EQUAL ? 1_000 : 0),
});
const facts: Fact[] = Array.from({ length: HOLDERS }, (_, i) => [
  mint(TOKEN, i, 10n ** 18n * BigInt(i + 1) + 123_456_789n),
  mint(EQUAL, i, 10n ** 18n + 123_456_789n),
]).flat();
const index: Index = {
  chainId: 31337,
  ponderSchema: "facts_wide",
  foldSchema: "fold_wide",
  firstBlock: 10,
  head: 100,
  finalized: 90,
  facts,
  decimals: { [TOKEN]: 18, [EQUAL]: 18 },
};

let database: TestDatabase;
let gateway: TestGateway;
let server: Server;
let base: string;
const connections = new Set<Socket>();

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, index);
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 10 }));
  server = await listen(createApp(gateway.service, pino({ level: "silent" })), { host: "127.0.0.1", port: 0 });
  server.on("connection", (connection: Socket) => connections.add(connection));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await gateway.close();
  await database.stop();
});

const idleInTransaction = async (): Promise<number> => {
  const [row] = await database.sql`
    select count(*)::int as n from pg_stat_activity
     where datname = current_database() and application_name = 'tidemark-gateway' and xact_start is not null`;
  return row?.n;
};

/** Of the gateway to its database, each waited for until it is gone. */
const endConnections = () =>
  database.sql`
    select pg_terminate_backend(pid, 10_000) from pg_stat_activity
     where datname = current_database() and application_name = 'tidemark-gateway'`;

async function settles(read: () => Promise<number>, expected: number): Promise<number> {
  for (let i = 0; i < 100 && (await read()) !== expected; i++) await new Promise((resolve) => setTimeout(resolve, 50));
  return read();
}

/**
 * An answer from its headers on, and the server's end of its connection, which sends no more until it is uncorked. A client
 * that merely reads nothing would not do: Linux buffers all of this answer for it.
 */
async function slowly(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ response: IncomingMessage; connection: Socket }> {
  const asking = request(base + path, { headers });
  asking.end();
  return new Promise((resolve, reject) => {
    asking.once("error", reject);
    asking.once("response", (response) => {
      const connection = [...connections].find(({ remotePort }) => remotePort === response.socket.localPort);
      if (!connection) return reject(new Error("no connection of this request is open"));
      connection.cork();
      resolve({ response, connection });
    });
  });
}

const whole = `/balances/${TOKEN}?blockNumber=100`;
const sortedByPostgres = `/balances/${EQUAL}?blockNumber=100`;

describe("the server", () => {
  it("answers 10,000 users named in the URL, in order, as GET and with encoded commas", async () => {
    const users = Array.from({ length: 10_000 }, (_, i) => accountOf(10_000 - i));
    for (const separator of [",", "%2C"]) {
      const response = await fetch(`${base}${whole}&users=${users.join(separator)}`);
      expect(response.status).toBe(200);
      const { results } = (await response.json()) as { results: { account: string; total: number }[] };
      expect(results.map(({ account }) => account)).toEqual(users);
      expect(results[0]?.total).toBe(Number("10000.000000000123456789"));
    }
  });

  it("streams every holder once, largest first", async () => {
    const response = await fetch(base + whole);
    expect(response.headers.get("content-type")).toBe("application/json");
    const { results, lastSyncedBlock } = (await response.json()) as {
      results: { account: string }[];
      lastSyncedBlock: number;
    };
    expect(lastSyncedBlock).toBe(100);
    expect(results.map(({ account }) => account)).toEqual(
      Array.from({ length: HOLDERS }, (_, i) => accountOf(HOLDERS - i)),
    );
  });

  it("marks every answer with a request id and allows other origins to read it", async () => {
    for (const path of ["/health", whole, "/nowhere", "/graphql?query={__typename}"]) {
      const response = await fetch(base + path, { headers: { origin: "http://elsewhere.example" } });
      expect(response.headers.get("x-request-id"), path).toMatch(/^[\w-]{36}$/);
      expect(response.headers.get("access-control-allow-origin"), path).toBe("*");
      await response.arrayBuffer();
    }
    const named = await fetch(`${base}/health`, { headers: { "x-request-id": "mine-1" } });
    expect(named.headers.get("x-request-id")).toBe("mine-1");
  });

  it.each([
    ["of data", "/health", "GET"],
    ["without a body", "/health", "HEAD"],
    ["written while it is read", whole, "GET"],
    ["of nothing", "/nowhere", "GET"],
    ["of a page with a policy of its own", "/docs", "GET"],
    ["of a query", "/graphql?query={__typename}", "GET"],
    ["of a path that takes other methods", "/status", "DELETE"],
  ])("sends over a socket the headers that the app gives an answer %s", async (_, path, method) => {
    const headers = { "x-request-id": "mine-2", "accept-encoding": "identity" };
    const ofConnection = /^(?:date|connection|keep-alive|transfer-encoding|content-length)$/;
    const headersOf = async (response: Response) => {
      await response.arrayBuffer();
      return Object.fromEntries([...response.headers].filter(([name]) => !ofConnection.test(name)));
    };
    const sent = await headersOf(await fetch(base + path, { method, headers }));
    expect(sent).toEqual(await headersOf(await gateway.app.request(path, { method, headers })));
    expect(sent).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": expect.stringContaining("X-Block-Number,X-Block-Hash"),
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-request-id": "mine-2",
    });
  });

  it("sends the headers of every answer with what Node refuses by itself", async () => {
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1", () =>
      client.write("GET /health HTTP/1.1\r\n\r\n"),
    );
    let text = "";
    for await (const piece of client) text += piece;
    const [status, ...lines] = (text.split("\r\n\r\n")[0] ?? "").split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => line.split(": ")));
    expect([status, headers.Connection ?? headers.connection]).toEqual(["HTTP/1.1 400 Bad Request", "close"]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(Object.keys(headers).filter((name) => /^\d+$/.test(name))).toEqual([]);
  });

  it.each([`${whole}&format=csv`, whole])(
    "names no type where %s is not modified, which caches would take for the answer's own",
    async (path) => {
      const first = await fetch(base + path);
      await first.arrayBuffer();
      const again = await fetch(base + path, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
      expect([again.status, await again.text(), again.headers.get("content-type")]).toEqual([304, "", null]);
      expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    },
  );

  it.each(["/status/", "/docs/", `${whole.replace("?", "/?")}`])(
    "answers %s as it does without the slash",
    async (path) => {
      const withSlash = await fetch(base + path);
      const without = await fetch(base + path.replace(/\/(?=\?|$)/, ""));
      expect([withSlash.status, withSlash.headers.get("content-type")]).toEqual([
        200,
        without.headers.get("content-type"),
      ]);
      expect((await withSlash.arrayBuffer()).byteLength).toBe((await without.arrayBuffer()).byteLength);
    },
  );

  it("names the setting where it cannot listen: a port that is taken, or an address that is not this machine's", async () => {
    const app = { fetch: () => new Response() } as unknown as Parameters<typeof listen>[0];
    const { port } = server.address() as AddressInfo;
    await expect(listen(app, { host: "127.0.0.1", port })).rejects.toThrow(
      `PORT=${port}: nothing can listen there (EADDRINUSE)`,
    );
    await expect(listen(app, { host: "192.0.2.1", port: 0 })).rejects.toThrow(
      "HOST=192.0.2.1: nothing can listen there (",
    );
  });

  it("keeps a connection that rests for longer than a proxy does", async () => {
    const { headers } = await fetch(`${base}/status`);
    expect(Number(/timeout=(\d+)/.exec(headers.get("keep-alive") ?? "")?.[1])).toBeGreaterThan(60);
  });

  it("lets go of the database when a client leaves or asks for HEAD", async () => {
    for (let i = 0; i < 14; i++) {
      const path = i % 2 === 0 ? whole : sortedByPostgres;
      const leaving = new AbortController();
      const response = await fetch(base + path, { signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
      expect((await fetch(base + path, { method: "HEAD" })).status).toBe(200);
    }
    expect(await settles(idleInTransaction, 0)).toBe(0);
    expect((await fetch(`${base}/status`)).status).toBe(200);
  });

  it("reads no more than a few megabytes ahead of a slow client, and holds none of Ponder's locks meanwhile", async () => {
    const { response, connection } = await slowly(sortedByPostgres);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await settles(idleInTransaction, 1)).toBe(1);
    expect(connection.writableLength).toBeLessThan(3_000_000);
    // its own alone: autovacuum locks tables, too
    const locked = await database.sql`
      select distinct n.nspname as schema from pg_locks l join pg_stat_activity a using (pid) join pg_class c on c.oid = l.relation
        join pg_namespace n on n.oid = c.relnamespace
       where a.datname = current_database() and a.application_name = 'tidemark-gateway' and n.nspname in ('facts_wide', 'fold_wide')`;
    expect([...locked]).toEqual([{ schema: "fold_wide" }]);
    connection.uncork();
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(HOLDERS * 150);
    expect(await settles(idleInTransaction, 0)).toBe(0);
  });

  it("breaks an answer off when the database goes away under it, and never ends a shorter one", async () => {
    const { response, connection } = await slowly(sortedByPostgres);
    expect(await settles(idleInTransaction, 1)).toBe(1);
    await vi.waitFor(() => expect(connection.writableNeedDrain).toBe(true), 60_000);
    await endConnections();
    connection.uncork();
    await expect(
      (async () => {
        for await (const chunk of response) void chunk;
      })(),
    ).rejects.toThrow("aborted");
  });

  it("ends a compressed answer whole or not at all when the database goes away under it", async () => {
    const text = await (await fetch(base + sortedByPostgres)).text();
    for (let i = 0; i < 3; i += 1) {
      const { response, connection } = await slowly(sortedByPostgres, { "accept-encoding": "gzip" });
      expect(response.headers["content-encoding"]).toBe("gzip");
      await endConnections();
      connection.uncork();
      const chunks: Buffer[] = [];
      const end = await (async () => {
        for await (const chunk of response) chunks.push(chunk as Buffer);
      })().catch(({ message }: Error) => message);
      // what is small enough may have been read whole by then
      if (end === undefined) expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe(text);
      else expect(end).toBe("aborted");
    }
  });

  it("needs no database for the rest of an answer that the gateway has sorted", async () => {
    const text = await (await fetch(base + whole)).text();
    const { response, connection } = await slowly(whole);
    await vi.waitFor(() => expect(connection.writableNeedDrain).toBe(true), 60_000);
    expect(await settles(idleInTransaction, 0)).toBe(0);
    expect(connection.writableLength).toBeLessThan(3_000_000);
    await endConnections();
    connection.uncork();
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe(text);
  });

  it("serves GraphiQL and metrics", async () => {
    const page = await fetch(`${base}/graphql`, { headers: { accept: "text/html" } });
    expect(page.headers.get("content-type")).toContain("text/html");
    const metrics = await (await fetch(`${base}/metrics`)).text();
    expect(metrics).toContain('tidemark_last_synced_block{chain="fixture"} 100');
    expect(metrics).toMatch(
      /tidemark_http_request_seconds_count\{route="\/balances\/:token",method="GET",status="200"\} \d+/,
    );
  });

  it("answers again after its connections were cut", async () => {
    await fetch(base + whole).then((response) => response.arrayBuffer());
    await endConnections();
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) {
      const response = await fetch(`${base}${whole}&users=${accountOf(1)}`);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses.slice(-15)).toEqual(Array.from({ length: 15 }, () => 200));
    expect(statuses.every((status) => [200, 503].includes(status))).toBe(true);
  });
});
