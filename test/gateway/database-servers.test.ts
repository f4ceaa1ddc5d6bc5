// Which of several database servers a request reads: by rules over what they say of themselves, and by a group of stand-ins.
import { describe, expect, it, vi } from "vitest";
import { BatchedStatements } from "../../gateway/database/batched-statements.ts";
import { ChainMemory } from "../../gateway/database/chain-memory.ts";
import type { Connection, Database } from "../../gateway/database/database.ts";
import { groupServers, type Member, NoServerError, type Outcome } from "../../gateway/database/database-servers.ts";
import { Freshness, LONGEST_LAG_MS, type ServerReport } from "../../gateway/database/freshness.ts";
import { RequestServers } from "../../gateway/database/request-servers.ts";
import type { IndexState } from "../../gateway/database/state.ts";
import { readEnvironment } from "../../gateway/env.ts";
import { publicError } from "../../gateway/errors.ts";
import { canResolve } from "../../gateway/history/block-choice.ts";

const replica = (position: number): ServerReport => ({
  isReplica: true,
  position: BigInt(position),
  timeline: undefined,
});
const primary = (position: number, timeline = 1): ServerReport => ({
  isReplica: false,
  position: BigInt(position),
  timeline,
});

describe("what a server must have", () => {
  it("is everything that was shown", () => {
    const freshness = new Freshness();
    expect(freshness.judge(replica(5))).toBe("fit");
    freshness.noteShown(100n);
    freshness.noteShown(90n);
    expect([99, 100, 101].map((position) => freshness.judge(replica(position)))).toEqual(["behind", "fit", "fit"]);
    expect(freshness.judge(primary(3))).toBe("fit");
  });

  it("is everything any server had when this process began, and five seconds ago", () => {
    const freshness = new Freshness();
    freshness.notePoll([replica(70), primary(100)], 0);
    expect([99, 100].map((position) => freshness.judge(replica(position)))).toEqual(["behind", "fit"]);
    freshness.notePoll([primary(200)], LONGEST_LAG_MS - 1);
    expect(freshness.judge(replica(100))).toBe("fit");
    freshness.notePoll([primary(300)], LONGEST_LAG_MS);
    freshness.notePoll([primary(400)], 2 * LONGEST_LAG_MS);
    expect([299, 300].map((position) => freshness.judge(replica(position)))).toEqual(["behind", "fit"]);
  });

  it("begins again with a promoted server, and nothing of the old primary counts any more", () => {
    const freshness = new Freshness();
    freshness.notePoll([primary(1000), replica(990)], 0);
    freshness.noteShown(1000n);
    expect(freshness.judge(replica(995))).toBe("behind");
    freshness.noteReport(primary(990, 2));
    expect(freshness.judge(primary(5000, 1))).toBe("superseded");
    expect([989, 990].map((position) => freshness.judge(replica(position)))).toEqual(["behind", "fit"]);
    freshness.notePoll([primary(5000, 1), primary(995, 2)], LONGEST_LAG_MS);
    freshness.notePoll([primary(6000, 1), primary(999, 2)], 3 * LONGEST_LAG_MS);
    expect(freshness.judge(replica(999))).toBe("fit");
  });

  it("is a block only where the replica can know of it", () => {
    const reached = { lastSynced: 100, lastSyncedTimestamp: 5000, highestHead: 102 };
    const number = (block: number) =>
      canResolve({ kind: "number", number: block, parameter: "", beyondHead: "clamp" }, reached);
    expect([100, 101, 103, 1102, 1103, 99_999_999_999].map(number)).toEqual([true, false, false, false, true, true]);
    const time = (timestamp: number) => canResolve({ kind: "timestamp", timestamp, parameter: "" }, reached);
    expect([5000, 5001].map(time)).toEqual([true, false]);
    expect(canResolve({ kind: "latest" }, reached)).toBe(true);
  });
});

class DownError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

class ClosedError extends Error {
  readonly code = "CONNECTION_CLOSED";
}

/** A stand-in for a server: only what it says of itself is real. */
class StandIn {
  says: ServerReport | "down";
  /** How it refuses when it is down. */
  refusal = "ECONNREFUSED";
  /** What happens while a statement runs. */
  meanwhile: () => void = () => {};
  readonly name: string;

  constructor(name: string, says: ServerReport) {
    this.name = name;
    this.says = says;
  }

  #report(): ServerReport {
    if (this.says === "down") throw new DownError(this.refusal);
    return this.says;
  }

  member(): Member {
    const row = () => {
      const { isReplica, position, timeline } = this.#report();
      return {
        is_replica: isReplica,
        position: String(position),
        timeline: timeline?.toString(16) ?? null,
        of: this.name,
      };
    };
    const rows = async () => [row()] as never;
    const connect = async () => {
      let isAbandoned = false;
      const abandon = () => {
        isAbandoned = true;
      };
      const prepared = async () => {
        this.meanwhile();
        if (isAbandoned || this.says === "down") throw new ClosedError(this.name);
        return [];
      };
      return { rows, prepared, abandon, release: () => {}, isLost: false } as unknown as Connection;
    };
    return {
      name: this.name,
      database: { rows, connect, close: async () => {} } as unknown as Database,
      poll: async () => this.#report(),
      close: async () => {},
    };
  }
}

function group() {
  const [p, a, b] = [new StandIn("p", primary(100)), new StandIn("a", replica(100)), new StandIn("b", replica(100))];
  const outcomes: [string, Outcome][] = [];
  const database = groupServers([p.member(), a.member(), b.member()], {
    onOutcome: (...outcome) => outcomes.push(outcome),
  });
  const read = async (...refused: string[]) => {
    const connection = await database.connect(new Set(refused));
    connection.release();
    return connection.server;
  };
  return { p, a, b, database, read, outcomes };
}

describe("a group of servers", () => {
  it("spreads reads over replicas that have what they must, then takes the primary", async () => {
    const { a, b, database, read, outcomes } = group();
    expect([await read(), await read(), await read()]).toEqual(["a", "b", "a"]);
    const held = await database.connect();
    expect(held).toMatchObject({ server: "b", isReplica: true });
    expect([await read(), await read()]).toEqual(["a", "a"]);
    held.release();
    database.noteShown?.(110n);
    expect(await read()).toBe("p");
    expect(outcomes.slice(-3).map(([, outcome]) => outcome)).toEqual(["behind", "behind", "read"]);
    a.says = replica(110);
    expect([await read(), await read()]).toEqual(["a", "a"]);
    b.says = replica(120);
    expect(await read("a")).toBe("b");
    expect(await read("a", "b")).toBe("p");
    await expect(read("a", "b", "p")).rejects.toThrow(NoServerError);
    await database.close();
  });

  it("goes round servers that are down, and says so when none is left", async () => {
    const { p, a, b, database, read } = group();
    await read();
    a.says = "down";
    expect([await read(), await read(), await read()]).toEqual(["b", "b", "b"]);
    p.says = "down";
    expect(await read()).toBe("b");
    expect((await database.rows<{ of: string }>("select"))[0]?.of).toBe("b");
    b.says = "down";
    await expect(read()).rejects.toMatchObject({ status: 503, code: "DATABASE_UNAVAILABLE" });
    b.says = primary(100, 2);
    expect(await read()).toBe("b");
    p.says = primary(500, 1);
    expect(await read("b").catch((error: unknown) => error)).toBeInstanceOf(NoServerError);
    await database.close();
  });
});

it.each(["EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"])(
  "a server that is out of reach by %s is gone round, and no fault of ours",
  async (refusal) => {
    const { p, a, b, database, read } = group();
    await read();
    for (const one of [p, a, b]) one.refusal = refusal;
    a.says = "down";
    expect([await read(), await read()]).toEqual(["b", "b"]);
    for (const one of [p, b]) one.says = "down";
    await expect(read()).rejects.toMatchObject({ status: 503, code: "DATABASE_UNAVAILABLE" });
    expect(publicError(new DownError(refusal))).toMatchObject({ status: 503, code: "DATABASE_UNAVAILABLE" });
    await database.close();
  },
);

describe("a client that leaves", () => {
  const statement = { text: "select", parameters: [], way: "unbatched" } as const;
  const state = { head: 1, proof: "" } as IndexState;
  const asker = (database: Database) => {
    const statements = new BatchedStatements({ database, memory: new ChainMemory(database) });
    return (servers: RequestServers) =>
      statements.read({ chainId: 1, fold: '"fold"', state, isNewest: false, servers }, statement);
  };

  it("while its statement runs, or while it waits for a connection, takes no server from the others", async () => {
    const { a, database, read, outcomes } = group();
    const ask = asker(database);
    const leaving = new RequestServers(database);
    a.meanwhile = () => leaving.abandon();
    await expect(ask(leaving)).rejects.toThrow(ClosedError);
    expect(await read("b")).toBe("a");
    const gone = new RequestServers(database);
    gone.abandon();
    await expect(ask(gone)).rejects.toThrow(ClosedError);
    expect([await read("a"), await read("b")]).toEqual(["b", "a"]);
    expect(outcomes.filter(([, outcome]) => outcome === "down")).toEqual([]);
    await database.close();
  });

  it("is told from a server that is lost while it is read", async () => {
    const { a, database, read, outcomes } = group();
    a.meanwhile = () => {
      a.says = "down";
    };
    await expect(asker(database)(new RequestServers(database))).rejects.toThrow(ClosedError);
    expect(outcomes.at(-1)).toEqual(["a", "down"]);
    expect(await read()).toBe("b");
    await database.close();
  });
});

it("a replica that hangs back is not read, though this machine's clock was hours ahead for a while", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  try {
    const { p, database, read } = group();
    await read();
    const before = Date.now();
    vi.setSystemTime(before + 6 * 3_600_000);
    await vi.advanceTimersByTimeAsync(LONGEST_LAG_MS);
    vi.setSystemTime(before + LONGEST_LAG_MS);
    p.says = primary(200);
    await vi.advanceTimersByTimeAsync(3 * LONGEST_LAG_MS);
    expect(await read()).toBe("p");
    await database.close();
  } finally {
    vi.useRealTimers();
  }
});

describe("DATABASE_READ_URL", () => {
  const env = { CHAIN: "devnet", DATABASE_URL: "postgres://u:p@one:5432/db" };

  it("is a list beside DATABASE_URL", () => {
    expect(readEnvironment(env).databaseUrls).toEqual([env.DATABASE_URL]);
    const others = ["postgres://u:p@two:5432/db", "postgres://u:p@three:5432/db"];
    expect(readEnvironment({ ...env, DATABASE_READ_URL: others.join(" , ") }).databaseUrls).toEqual([
      env.DATABASE_URL,
      ...others,
    ]);
  });

  it("is refused by name", () => {
    expect(() => readEnvironment({ ...env, DATABASE_READ_URL: "postgres://u@two/db,three" })).toThrow(
      /^DATABASE_READ_URL: each of them, separated by commas, must be a postgres:\/\/ URL/,
    );
  });
});
