// Against a real server: where postgres.js gets to through our sockets, and that these do not wait before they send.
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { undelayed } from "../../database/undelayed.ts";
import { freePort } from "../../machine/ports.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
const clients: Sql[] = [];

beforeEach(async () => {
  database = await startTestDatabase();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients.splice(0)) await client.end({ timeout: 2 });
  await database.stop();
});

function open(place: string | object, options: object = {}): Sql {
  const all = { max: 1, ...undelayed(), onnotice: () => {}, ...options };
  const client = typeof place === "string" ? postgres(place, all) : postgres({ ...place, ...all });
  clients.push(client);
  return client;
}

const one = async (client: Sql) => (await client`select 1 as one`)[0]?.one;

describe("a socket that does not delay", () => {
  it("has Nagle's algorithm switched off before anything is sent", async () => {
    const set = vi.spyOn(Socket.prototype, "setNoDelay");
    const written = vi.spyOn(Socket.prototype, "write");
    expect(await one(open(database.url))).toBe(1);
    expect(set).toHaveBeenCalledWith(true);
    expect(set.mock.invocationCallOrder[0]).toBeLessThan(written.mock.invocationCallOrder[0] ?? 0);
  });

  it("takes rows by COPY, and what follows it", async () => {
    const db = open(database.url);
    await db`create temp table number (n int4)`;
    const lines = Array.from({ length: 5_000 }, (_, n) => `${n}\n`).join("");
    await pipeline([lines], await db`copy number from stdin`.writable());
    expect((await db`select sum(n)::int as sum from number`)[0]?.sum).toBe(12_497_500);
  });

  it("goes on to the next server when one does not answer, and to the first one again", async () => {
    const { host } = new URL(database.url);
    const dead = `127.0.0.1:${await freePort()}`;
    const several = database.url.replace(host, `${dead},${host}`);
    const db = open(several, { backoff: 0.01 });
    const pids = new Set<number>();
    for (let connection = 0; connection < 3; connection++) {
      const [row] = await db`select pg_backend_pid() as pid`;
      pids.add(Number(row?.pid));
      await database.sql`select pg_terminate_backend(${row?.pid}, 5000)`;
      // the client notices that the connection was ended
      await sleep(50);
    }
    expect(pids.size).toBe(3);
  });

  it("asks for TLS first where that is preferred, and goes on without it", async () => {
    expect(await one(open(`${database.url}?sslmode=prefer`))).toBe(1);
  });

  it("names the server that refuses it", async () => {
    const { host } = new URL(database.url);
    const port = await freePort();
    await expect(one(open(database.url.replace(host, `127.0.0.1:${port}`)))).rejects.toThrow(`127.0.0.1:${port}`);
  });

  it("names the server that does not answer in time", async () => {
    const silent = createServer(() => {});
    const port = await new Promise<number>((resolve) =>
      silent.listen(0, "127.0.0.1", () => resolve((silent.address() as { port: number }).port)),
    );
    try {
      const { host } = new URL(database.url);
      const db = open(database.url.replace(host, `127.0.0.1:${port}`), { connect_timeout: 1 });
      await expect(one(db)).rejects.toThrow(`CONNECT_TIMEOUT 127.0.0.1:${port}`);
    } finally {
      silent.close();
    }
  });

  it("gets to a server by its Unix socket", async () => {
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const folder = mkdtempSync(join(tmpdir(), "tidemark-socket-"));
    const door = createServer((client) => void client.pipe(connect(Number(port), hostname)).pipe(client));
    await new Promise<void>((resolve) => door.listen(join(folder, ".s.PGSQL.5432"), resolve));
    try {
      const place = { host: folder, port: 5432, username, password, database: pathname.slice(1) };
      expect(await one(open(place))).toBe(1);
    } finally {
      door.close();
      rmSync(folder, { recursive: true });
    }
  });
});
