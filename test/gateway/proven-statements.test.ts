// Statements without a transaction: a request's rows are of one state of the index, whatever happens between two of them.
import { pino } from "pino";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { raiseRevision } from "../../fold/revision.ts";
import { ledgerAt } from "../../gateway/backing/ledger-at.ts";
import { type Operation, RequestScope } from "../../gateway/context.ts";
import { type Connection, type Database, openDatabase } from "../../gateway/database/database.ts";
import { IndexMovedError } from "../../gateway/database/proven-statement.ts";
import { NotFoundError } from "../../gateway/errors.ts";
import { pointOf } from "../../gateway/history/point.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import { followFacts, setCheckpoint } from "../support/folded-index.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, timestampOf } from "../support/index-fixture.ts";
import { ALICE, PLAIN, smallIndex, YOUNG } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const HEAD = 115;
/** Where the first of a young token are given out. */
const YOUNG_BLOCK = 112;
let test: Awaited<ReturnType<typeof open>>;
const opened: (() => Promise<void>)[] = [];

/** A fresh index and a gateway that has answered once, with the texts that it sends from then on. */
async function open() {
  const database: TestDatabase = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  const plain = openDatabase(database.url);
  const sent: string[] = [];
  const hooks = { afterStatement: async (_parameters: readonly string[]) => {} };
  const noted = (connection: Connection): Connection => ({
    ...connection,
    get isLost() {
      return connection.isLost;
    },
    run: (statements) => {
      sent.push(statements);
      return connection.run(statements);
    },
    rows: (text, parameters) => {
      sent.push(text);
      return connection.rows(text, parameters);
    },
    prepared: async <T extends object>(text: string, parameters: readonly string[]) => {
      sent.push(text);
      const rows = await connection.prepared<T>(text, parameters);
      await hooks.afterStatement(parameters);
      return rows;
    },
  });
  const watched: Database = { ...plain, connect: async () => noted(await plain.connect()) };
  const service = openService({ chains: [chainFixture({ chainId: 31337, startBlock: 100 })], database: watched });
  const app = createApp(service, pino({ level: "silent" }));
  // about one account: where all holders were read, the next question about some would send no statement of its own
  await (await app.request(`/balances/${PLAIN}?blockNumber=${HEAD}&users=${ALICE}`)).text();
  opened.push(async () => {
    await plain.close();
    await database.stop();
  });
  sent.length = 0;
  return { database, service, app, sent, hooks };
}

beforeEach(async () => {
  test = await open();
});
afterAll(async () => {
  for (const close of opened) await close();
});

async function addBlock(number: number): Promise<void> {
  const { sql } = test.database;
  await sql`insert into facts_small.block values (${number}, ${hashOf(number)}, ${timestampOf(number)}, null)`;
  await followFacts(sql, smallIndex);
}
async function replaceHead(): Promise<void> {
  const { sql } = test.database;
  await sql`update facts_small.block set hash = ${hashOf(HEAD, 1)} where number = ${HEAD}`;
  await followFacts(sql, smallIndex);
}

/** The last blocks are others, without their transfers. */
async function replaceWithoutTransfers(): Promise<void> {
  const { sql } = test.database;
  const { count } = await sql`delete from facts_small.erc20_transfer where block >= ${YOUNG_BLOCK}`;
  expect(count).toBeGreaterThan(0);
  for (let number = YOUNG_BLOCK; number <= HEAD; number++)
    await sql`update facts_small.block set hash = ${hashOf(number, 1)} where number = ${number}`;
  await followFacts(sql, smallIndex);
}

/** The newest block's hash, read before and after `between` of each run. */
function twice(between: () => Promise<void>): { operation: Operation<null, string[]>; runs: () => number } {
  let runs = 0;
  const operation: Operation<null, string[]> = {
    name: "twice",
    async run(_, context) {
      runs += 1;
      const { block } = await pointOf(context, { kind: "latest" });
      const { snapshot } = context;
      const read = async () => {
        const text = `select hash from ${snapshot.fold}.block where number = $1::int4`;
        const [row] = await snapshot.prepared<{ hash: string }>(text, [String(block)]);
        return row?.hash ?? "";
      };
      const before = await read();
      if (runs === 1) await between();
      return [before, await read()];
    },
  };
  return { operation, runs: () => runs };
}

async function run<T>(operation: Operation<null, T>): Promise<T> {
  const scope = new RequestScope(test.service);
  try {
    return await scope.run(operation, null);
  } finally {
    await scope.close();
  }
}

describe("a request whose index moves between two statements", () => {
  it("goes on when a block is added, as of the head that it began with", async () => {
    const { operation, runs } = twice(() => addBlock(HEAD + 1));
    expect(await run(operation)).toEqual([hashOf(HEAD), hashOf(HEAD)]);
    expect(runs()).toBe(1);
    expect(test.sent.some((text) => text.startsWith("begin"))).toBe(false);
  });

  it("begins again when its block is replaced", async () => {
    const { operation, runs } = twice(replaceHead);
    expect(await run(operation)).toEqual([hashOf(HEAD, 1), hashOf(HEAD, 1)]);
    expect(runs()).toBe(2);
  });

  it("uses nothing that was made of the replaced block", async () => {
    let runs = 0;
    const operation: Operation<null, readonly bigint[]> = {
      name: "loaders",
      async run(_, context) {
        runs += 1;
        const point = await pointOf(context, { kind: "latest" });
        const ledger = ledgerAt(context, point);
        const [held = []] = await ledger.holders([{ kind: "erc20", key: YOUNG }]);
        if (runs === 1) {
          await replaceWithoutTransfers();
          await context.snapshot.prepared("select 1", []);
        }
        return held.map(({ amount }) => amount);
      },
    };
    const after = await run(operation);
    expect(runs).toBe(2);
    expect(after).toEqual([]);
  });

  it("begins again when the revision is raised, and when blocks become final", async () => {
    const raised = twice(() => raiseRevision(test.database.sql, "fold_small"));
    await run(raised.operation);
    expect(raised.runs()).toBe(2);
    const final = twice(async () => {
      await setCheckpoint(test.database.sql, "facts_small", HEAD - 1);
      await followFacts(test.database.sql, smallIndex);
    });
    await run(final.operation);
    expect(final.runs()).toBe(2);
  });

  it("says that all of it is outdated when something of it was answered already", async () => {
    const scope = new RequestScope(test.service);
    await scope.run(twice(async () => {}).operation, null);
    await replaceHead();
    await expect(scope.run(twice(async () => {}).operation, null)).rejects.toBeInstanceOf(IndexMovedError);
    expect(scope.isOutdated).toBe(true);
    await scope.close();
  });
});

describe("a document of several questions", () => {
  it("is answered again as a whole when the index moves between two of them", async () => {
    const stranger = (n: number) => `0x${"0".repeat(39)}${n}`;
    const field = (n: number) =>
      `q${n}: balances(token: "${PLAIN}", users: ["${stranger(n)}"]) { block { number hash } nodes { account } }`;
    let timesAnswered = 0;
    // the last statement of the first question
    test.hooks.afterStatement = async (parameters) => {
      if (!parameters.some((text) => text.includes(stranger(1)))) return;
      timesAnswered += 1;
      if (timesAnswered === 1) await replaceHead();
    };
    const response = await test.app.request("/graphql", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: `{ ${field(1)} ${field(2)} }` }),
    });
    const { data, errors } = (await response.json()) as { data: Record<string, { block: object }>; errors?: unknown };
    expect(errors).toBeUndefined();
    const replaced = { number: HEAD, hash: hashOf(HEAD, 1) };
    expect([data.q1?.block, data.q2?.block]).toEqual([replaced, replaced]);
    expect(timesAnswered).toBe(2);
  });
});

describe("the first statement of a request", () => {
  it("finds a block that was added since another request", async () => {
    await addBlock(HEAD + 1);
    const { operation, runs } = twice(async () => {});
    expect(await run(operation)).toEqual([hashOf(HEAD + 1), hashOf(HEAD + 1)]);
    expect(runs()).toBe(2);
  });

  it("is sent for what the cache alone could answer, so that it is answered of the newest head", async () => {
    const ask = async () =>
      (await (await test.app.request(`/balances/${PLAIN}?blockNumber=99999999999`)).json()) as {
        lastSyncedBlock: number;
      };
    expect((await ask()).lastSyncedBlock).toBe(HEAD);
    await addBlock(HEAD + 1);
    expect((await ask()).lastSyncedBlock).toBe(HEAD + 1);
  });

  it("is sent for an error, too", async () => {
    let runs = 0;
    const operation: Operation<null, number> = {
      name: "missing",
      async run(_, context) {
        runs += 1;
        const { block } = await pointOf(context, { kind: "latest" });
        if (block === HEAD) throw new NotFoundError("not there yet");
        return block;
      },
    };
    await addBlock(HEAD + 1);
    expect(await run(operation)).toBe(HEAD + 1);
    expect(runs).toBe(2);
    await expect(run({ ...operation, run: () => Promise.reject(new NotFoundError("never")) })).rejects.toThrow("never");
  });
});

describe("what requests ask in one turn", () => {
  it("is one statement, and each gets its own rows", async () => {
    const users = [ALICE, `0x${"0".repeat(38)}77`];
    const paths = users.map((user) => `/balances/${PLAIN}?blockNumber=${HEAD}&users=${user}`);
    const alone: string[] = [];
    for (const path of paths) alone.push(await (await test.app.request(path)).text());
    expect(alone[0]).not.toBe(alone[1]);
    test.sent.length = 0;
    const together = await Promise.all(paths.map(async (path) => (await test.app.request(path)).text()));
    expect(together).toEqual(alone);
    expect(test.sent).toHaveLength(1);
  });

  it("is read once where it is the same, alone and beside others", async () => {
    const pathOf = (user: string) => `/balances/${PLAIN}?blockNumber=${HEAD}&users=${user}`;
    const [mine, other] = [pathOf(ALICE), pathOf(`0x${"0".repeat(38)}77`)];
    const answer = async (path: string) => (await test.app.request(path)).text();
    const alone = { [mine]: await answer(mine), [other]: await answer(other) };
    test.sent.length = 0;
    await answer(mine);
    const [textOfOne] = test.sent;
    for (const paths of [
      [mine, mine, mine],
      [mine, other, mine, other],
    ]) {
      test.sent.length = 0;
      expect(await Promise.all(paths.map(answer))).toEqual(paths.map((path) => alone[path]));
      expect(test.sent).toHaveLength(1);
      expect(test.sent[0] === textOfOne).toBe(!paths.includes(other));
    }
  });

  it("fails for all of them when it fails, and each begins again by itself", async () => {
    const paths = [1, 2, 3].map((n) => `/balances/${PLAIN}?blockNumber=${HEAD}&users=0x${"0".repeat(39)}${n}`);
    for (const path of paths) await (await test.app.request(path)).text();
    await replaceHead();
    const answers = await Promise.all(paths.map((path) => test.app.request(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
