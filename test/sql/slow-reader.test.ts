// A client that takes its answer slowly, or not at all: its own answer breaks off, and nobody else notices.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { createSqlServer, type SqlServer } from "../../sql/server.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { smallIndex } from "../support/small-index.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let read: Database;
let folder: string;
let sql: TestSql;
let served: SqlServer;
let url: string;
let stuck = 0;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  read = openDatabase(database.url);
  const service = openLastingService({ chains: [chainFixture({ chainId: 31337, startBlock: 100 })], database: read });
  folder = mkdtempSync(join(tmpdir(), "tidemark-no-lake-"));
  const limits = { seconds: 3 };
  sql = await openTestSql({ databaseUrl: database.url, chainId: 31337, lakeFolder: folder, service, limits });
  // loads the tail, so that the seconds are those of the statement
  await sql.rows("select 1");
  const onStuck = () => {
    stuck += 1;
  };
  served = createSqlServer({ ...sql.runner, onStuck }, { log: pino({ level: "silent" }), onFatal: () => {} });
  await once(served.server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(served.server.address() as AddressInfo).port}/statement`;
});
afterAll(async () => {
  served?.server.closeAllConnections();
  served?.server.close();
  await sql?.close();
  await read?.close();
  rmSync(folder, { recursive: true, force: true });
  await database?.stop();
});

/** Much more than sockets hold: some 60 MB. */
const LARGE = "select repeat('x', 1000) as text from range(60000)";

const answerTo = async (query: string): Promise<string> => {
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ query, format: "csv" }) });
  return response.text();
};

interface Begun {
  response: IncomingMessage;
  /** The server's end of its connection. */
  socket: Socket;
}

/** An answer whose head is there, and of which nothing else is read until somebody listens. */
async function beginAnswer(times = 10): Promise<Begun> {
  const sent = request(url, { method: "POST", agent: false });
  const accepted = once(served.server, "request");
  sent.end(JSON.stringify({ query: LARGE, format: "ndjson" }));
  const [[response], [{ socket }]] = (await Promise.all([once(sent, "response"), accepted])) as [
    [IncomingMessage],
    [IncomingMessage],
  ];
  // a connection that is cut while nobody listens says so here
  response.on("error", () => {});
  if (response.statusCode === 200 || times === 1) return { response, socket };
  // on a busy machine the seconds may be over before the first row is sent
  response.resume();
  return beginAnswer(times - 1);
}

describe("an answer that its client does not read", () => {
  it("breaks off when the seconds are over and says why, while others are answered", async () => {
    const { response } = await beginAnswer();
    expect(await answerTo("select 1 as one")).toBe("one\n1\n");
    await expect.poll(() => [served.totals.running, stuck], { timeout: 30_000 }).toEqual([0, 0]);
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    await new Promise((resolve) => response.once("close", resolve));
    expect([response.complete, JSON.parse(text.trimEnd().split("\n").at(-1) ?? "")]).toMatchObject([
      false,
      { error: { code: "SQL_LIMIT", message: expect.stringContaining("3 seconds") } },
    ]);
  });

  it("is given up after as many seconds again", async () => {
    const { socket } = await beginAnswer();
    await expect.poll(() => socket.destroyed, { timeout: 30_000 }).toBe(true);
    expect([stuck, await answerTo("select 1 as one")]).toEqual([0, "one\n1\n"]);
  });
});
