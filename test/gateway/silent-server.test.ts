// A server that is gone without a word: a real one behind a wire that can be cut, so that what was connected hears nothing any more, while
// new connections get through.
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf } from "../../database/error-codes.ts";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openDatabases, serverNameOf } from "../../gateway/database/database-servers.ts";
import { isDatabaseDown } from "../../gateway/errors.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

interface Wire {
  url: string;
  /** Of what is connected now. */
  cut(): void;
  close(): void;
}

async function wireTo(url: string): Promise<Wire> {
  const there = new URL(url);
  const ends = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(there.port), there.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on("error", () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const here = new URL(url);
  const address = server.address();
  here.host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    url: here.href,
    cut() {
      for (const end of ends) end.unpipe().pause();
    },
    close() {
      server.close();
      for (const end of ends) end.destroy();
    },
  };
}

let test: TestDatabase;
let wire: Wire;

beforeEach(async () => {
  test = await startTestDatabase();
  wire = await wireTo(test.url);
});
afterEach(async () => {
  wire.close();
  await test.stop();
});

const ONE = "select 1 as one";

describe("a connection whose server is silent", () => {
  let database: Database;
  // the seconds of silence are made by the test, everything else takes its time
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    database = openDatabase(wire.url);
  });
  afterEach(async () => {
    await database.close();
    vi.useRealTimers();
  });
  const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);

  it("is lost with all that was sent over it, and those that are idle beside it are not used again", async () => {
    const [busy, idle] = [await database.connect(), await database.connect()];
    for (const connection of [busy, idle]) await connection.rows(ONE);
    idle.release();
    wire.cut();
    const answers = [busy.rows(ONE), busy.prepared(ONE, [])].map((answer) => answer.catch((error: unknown) => error));
    pass(20);
    expect(busy.isLost).toBe(false);
    pass(1);
    expect(busy.isLost).toBe(true);
    for (const answer of answers) expect(isDatabaseDown(await answer)).toBe(true);
    busy.release();
    expect(await database.rows(ONE)).toEqual([{ one: 1 }]);
  });

  it("takes nothing with it that clients need who leave later: what they have asked is cancelled", async () => {
    const leave = async () => {
      const connection = await database.connect();
      const code = connection.rows("select pg_sleep(4)").catch(codeOf);
      connection.abandon();
      await code;
      connection.release();
      return code;
    };
    const busy = await database.connect();
    await busy.rows(ONE);
    expect(await leave()).toBe("57014");
    wire.cut();
    const answer = busy.rows(ONE).catch(() => {});
    pass(21);
    await answer;
    busy.release();
    expect(await leave()).toBe("57014");
  });

  it("is lost in the middle of rows that are read in batches, too", async () => {
    const connection = await database.connect();
    await connection.run("begin");
    const batches = connection.batches("select n from generate_series(1, $1::int4) n", ["9"], 2);
    await batches.next();
    wire.cut();
    const second = batches.next().catch((error: unknown) => error);
    pass(21);
    expect(isDatabaseDown(await second)).toBe(true);
    await connection.endBatches();
    connection.release();
    expect(await database.rows(ONE)).toEqual([{ one: 1 }]);
  });

  it("is kept where the server works on one batch for too long, which is cancelled, as any other statement is", async () => {
    const connection = await database.connect();
    await connection.run("begin");
    const text = "select n, case n when 3 then pg_sleep(240)::text end from generate_series(1, $1::int4) n";
    const batches = connection.batches(text, ["9"], 2);
    await batches.next();
    const second = batches.next().catch(codeOf);
    pass(15);
    expect([await second, connection.isLost]).toEqual(["57014", false]);
    await connection.run("rollback");
    connection.release();
  });

  it("is kept where every statement, one of several sent together, is answered in time", async () => {
    const connection = await database.connect();
    await connection.rows(ONE);
    const [first, second] = [connection.rows("select pg_sleep(0.1)"), connection.rows("select pg_sleep(1)")];
    pass(20);
    await first;
    pass(20);
    await second;
    pass(20);
    expect(connection.isLost).toBe(false);
    expect(await connection.rows(ONE)).toEqual([{ one: 1 }]);
    connection.release();
  });

  it("is kept where it is this process that takes its time between two batches", async () => {
    const connection = await database.connect();
    await connection.run("begin");
    const batches = connection.batches("select n from generate_series(1, $1::int4) n", ["9"], 3);
    await batches.next();
    await sleep(1_000);
    pass(300);
    expect(connection.isLost).toBe(false);
    expect((await batches.next()).value).toHaveLength(3);
    await connection.endBatches();
    await connection.run("rollback");
    connection.release();
  });
});

it("a server of several that was silent is read again as soon as it takes new connections", async () => {
  const roles: string[] = [];
  const database = openDatabases([wire.url, test.url], {
    onChange(server, role) {
      if (server === serverNameOf(wire.url)) roles.push(role);
    },
  });
  const becomes = async (...expected: string[]) => {
    while (roles.length < expected.length) await sleep(50);
    expect(roles).toEqual(expected);
  };
  await becomes("primary");
  wire.cut();
  await becomes("primary", "down");
  await becomes("primary", "down", "primary");
  await database.close();
});
