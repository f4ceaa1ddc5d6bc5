// A connection to the database that is lost in the middle of a read: that statement is refused, and the next one is answered.
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { publicError } from "../../gateway/errors.ts";
import { openLastingService } from "../../gateway/service.ts";
import { IndexReader } from "../../sql/index-reader.ts";
import { createSqlServer, type SqlServer } from "../../sql/server.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { PLAIN, smallIndex } from "../support/small-index.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

/** A way to the database that can be cut. */
interface Way {
  url: string;
  /** The clients' connections are reset, as by a server that is gone, or a firewall. */
  reset(): void;
  close(): void;
}

async function openWay(databaseUrl: string): Promise<Way> {
  const url = new URL(databaseUrl);
  const [host, port] = [url.hostname, Number(url.port)];
  const clients = new Set<Socket>();
  const server: Server = createServer((client) => {
    clients.add(client);
    const behind = connect(port, host);
    client.on("error", () => {}).on("close", () => behind.destroy());
    behind.on("error", () => {}).on("close", () => client.destroy());
    client.pipe(behind).pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reset = () => {
    for (const client of clients) client.resetAndDestroy();
    clients.clear();
  };
  return {
    url: url.href,
    reset,
    close() {
      server.close();
      reset();
    },
  };
}

let database: TestDatabase;
let way: Way;
let folder: string;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  way = await openWay(database.url);
  folder = mkdtempSync(join(tmpdir(), "tidemark-lost-"));
});
afterAll(async () => {
  way?.close();
  rmSync(folder, { recursive: true, force: true });
  await database?.stop();
});

const codeOf = (error: unknown) => publicError(error).code;

/** Until the SQL process's own connection does this. */
const untilItRuns = (text: string) =>
  expect
    .poll(
      () => database.sql`
        select 1 from pg_stat_activity
         where datname = current_database() and application_name = 'tidemark-sql' and state = 'active' and query like ${text}`,
      { timeout: 20_000 },
    )
    .toHaveLength(1);

describe("the index reader", () => {
  let reader: IndexReader;
  beforeAll(() => {
    reader = new IndexReader(way.url, 31337);
  });
  afterAll(() => reader.close());

  it("goes on after the server has ended its connection between two statements of a read", async () => {
    for (let turn = 0; turn < 3; turn++) {
      const reading = reader.read(async ({ rows }) => {
        const [own] = await rows<{ pid: number }>("select pg_backend_pid() as pid");
        await database.sql`select pg_terminate_backend(${own?.pid ?? 0}, 5000)`;
        return rows("select 1");
      });
      expect(await reading.then(String, codeOf)).toBe("DATABASE_UNAVAILABLE");
      expect((await reader.head()).block).toBe(115);
    }
  });

  it("goes on after the server has ended its connection while copied rows are taken", async () => {
    const reading = reader.read(async ({ rows, copy }) => {
      const [own] = await rows<{ pid: number }>("select pg_backend_pid() as pid");
      const take = async (file: string) => {
        rmSync(file);
        await database.sql`select pg_terminate_backend(${own?.pid ?? 0}, 5000)`;
        await sleep(100);
      };
      await copy("select 1 as n", { folder, name: "rows", take });
      return rows("select 1");
    });
    expect(await reading.then(String, codeOf)).toBe("DATABASE_UNAVAILABLE");
    expect((await reader.head()).block).toBe(115);
  });

  it("goes on after its connection was reset while a statement ran", async () => {
    for (let turn = 0; turn < 3; turn++) {
      const reading = reader.read(({ rows }) => rows("select pg_sleep(30)")).then(String, codeOf);
      await untilItRuns("select pg_sleep%");
      way.reset();
      expect(await reading).toBe("DATABASE_UNAVAILABLE");
      expect((await reader.head()).block).toBe(115);
      await database.sql`
        select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where datname = current_database() and application_name = 'tidemark-sql' and query like 'select pg_sleep%'`;
    }
  });

  it("goes on after its connection was lost while nothing was read", async () => {
    await reader.head();
    way.reset();
    // one that begins before the loss is noticed is refused
    await expect.poll(() => reader.head().then(({ block }) => block, codeOf)).toBe(115);
  });

  it("goes on after its connection was reset in the middle of a copy, and leaves no part of a file", async () => {
    const text = "select generate_series(1, 3000000) as n, repeat('x', 1000)";
    const copied = reader
      .read(({ copy }) => copy(text, { folder, name: "rows", take: async () => {} }))
      .then(String, codeOf);
    await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toHaveLength(1);
    way.reset();
    expect([await copied, readdirSync(folder)]).toEqual(["DATABASE_UNAVAILABLE", []]);
    expect((await reader.head()).block).toBe(115);
  });
});

describe("the process that answers SQL", () => {
  let wayOfQuestions: Way;
  let read: Database;
  let sql: TestSql;
  let served: SqlServer;
  let url: string;

  const outcomeOf = async (query: string) => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ query }) });
    const { error } = (await response.json()) as { error?: { code: string } };
    return [response.status, error?.code];
  };

  beforeAll(async () => {
    wayOfQuestions = await openWay(database.url);
    read = openDatabase(wayOfQuestions.url);
    const service = openLastingService({ chains: [chainFixture({ chainId: 31337, startBlock: 100 })], database: read });
    const lakeFolder = join(folder, "lake");
    sql = await openTestSql({ databaseUrl: way.url, chainId: 31337, lakeFolder, service });
    served = createSqlServer(sql.runner, { log: pino({ level: "silent" }), onFatal: () => {} });
    await once(served.server.listen(0, "127.0.0.1"), "listening");
    url = `http://127.0.0.1:${(served.server.address() as AddressInfo).port}/statement`;
  });
  afterAll(async () => {
    served?.server.closeAllConnections();
    served?.server.close();
    await sql?.close();
    await read?.close();
    wayOfQuestions?.close();
  });

  it("refuses the statement whose read was lost with 503, and answers the next", async () => {
    const holder = await database.sql.reserve();
    await holder`begin`;
    await holder`lock table tidemark.live in access exclusive mode`;
    const outcome = outcomeOf("select 1");
    await untilItRuns("%tidemark.live%");
    way.reset();
    expect(await outcome).toEqual([503, "DATABASE_UNAVAILABLE"]);
    await holder`rollback`;
    holder.release();
    expect(await outcomeOf("select 1")).toEqual([200, undefined]);
  });

  it("refuses a statement with 503 while look_through() cannot be read, and answers others", async () => {
    wayOfQuestions.close();
    expect(await outcomeOf(`select * from look_through('${PLAIN}', head())`)).toEqual([503, "DATABASE_UNAVAILABLE"]);
    expect(await outcomeOf("select 1")).toEqual([200, undefined]);
  });
});
