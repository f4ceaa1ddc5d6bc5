// What look_through() has read is read again when the index says something else, and stays in memory while its statement runs.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { publicError } from "../../gateway/errors.ts";
import { storeAnswer, storedAnswers } from "../../sql/looked-through.ts";
import { runStatement } from "../../sql/run-statement.ts";
import { ALICE, CAROL, PLAIN, smallIndex } from "../support/small-index.ts";
import { type SmallSql, startSmallSql } from "../support/small-sql.ts";
import type { TestSql } from "../support/sql-engine.ts";
import type { TestDatabase } from "../support/test-database.ts";

let ground: SmallSql;
let database: TestDatabase;
let sql: TestSql;

beforeAll(async () => {
  ground = await startSmallSql();
  ({ database, sql } = ground);
});
afterAll(() => ground?.stop());

const keyAt = (block: number) => ({ token: PLAIN, block });

async function missing(blocks: readonly number[]): Promise<number[]> {
  const session = await sql.engine.session();
  try {
    return (await storedAnswers(session, blocks.map(keyAt))).missing.map(({ block }) => block);
  } finally {
    await session.end();
  }
}

async function store(block: number, beside: readonly number[]): Promise<void> {
  const session = await sql.engine.session();
  const { state } = session.head;
  await session.end();
  const { engine, service } = sql.runner;
  await storeAnswer(engine, service, { ...keyAt(block), state, beside: beside.map(keyAt) });
}

const fillUp = (block: number) =>
  sql.engine.write((connection) =>
    connection.run(`update inside.looked_through_answer set rows = 1000000 where block = ${block}`),
  );

describe("what look_through() has read", () => {
  it("stays while the same statement reads more, and makes room for what the next statement reads", async () => {
    await store(109, [109, 112]);
    await fillUp(109);
    await store(112, [109, 112]);
    expect(await missing([109, 112])).toEqual([]);
    await store(104, [104]);
    expect(await missing([104, 109, 112])).toEqual([109, 112]);
    expect(
      await sql.rows(
        `select a.account from look_through('${PLAIN}', 109) a join look_through('${PLAIN}', 112) b using (account) order by 1`,
      ),
    ).toEqual([{ account: ALICE }, { account: CAROL }]);
  });

  it("is of the head that the statement began with, where a block comes while each is read", async () => {
    const { foldSchema, head } = smallIndex;
    const putHead = (block: number) => database.sql.unsafe(`update ${foldSchema}.meta set head = ${block}`);
    const write = sql.engine.write.bind(sql.engine);
    let block = head - 2;
    await putHead(block);
    const spy = vi.spyOn(sql.engine, "write").mockImplementation(async (work) => {
      await putHead(Math.min(++block, head));
      return write(work);
    });
    try {
      const answer = await sql.ask(`select account from look_through('${PLAIN}', head()) order by 1`);
      expect(answer).toMatchObject({ block: head - 2, rows: [{ account: ALICE }, { account: CAROL }] });
      expect(await sql.rows("select head() as block")).toEqual([{ block: head - 1 }]);
    } finally {
      spy.mockRestore();
      await putHead(head);
    }
  });

  it("is refused where it has more rows than all answers together may have, which are in memory", async () => {
    const { engine, service } = sql.runner;
    const wanted = { ...keyAt(110), state: "", beside: [] };
    const read = (mostRows: number) => storeAnswer(engine, service, { ...wanted, mostRows }).catch(publicError);
    expect(await read(1)).toMatchObject({ code: "SQL_LIMIT", details: { limit: "rows", most: 1 } });
    expect(await read(2)).toBeUndefined();
  });

  it("is not read any longer than a statement may take, nor once nobody waits for it", async () => {
    const { foldSchema } = smallIndex;
    const query = `select account from look_through('${PLAIN}', 105)`;
    const run = (seconds: number, signal?: AbortSignal) => {
      const runner = { ...sql.runner, limits: { ...sql.runner.limits, seconds } };
      return runStatement(runner, { query, format: "json", ...(signal ? { signal } : {}) });
    };
    await sql.rows("select 1");
    await database.sql.begin(async (locked) => {
      await locked.unsafe(`lock table ${foldSchema}.holding_interval`);
      await expect(run(0.1)).rejects.toMatchObject({ code: "SQL_LIMIT", details: { limit: "seconds" } });
      await expect(run(30, AbortSignal.timeout(100))).rejects.toThrow("The client has left");
      // what PostgreSQL refuses is not the statement's fault
      const refused = await run(30).catch((error: unknown) => error);
      expect(publicError(refused)).toMatchObject({ code: "OVERLOADED", status: 503 });
    });
    expect(await missing([105])).toEqual([105]);
  });

  it("is read again, as are tables, once a block has come back under its hash with other facts", async () => {
    const { foldSchema } = smallIndex;
    const both = async (block: number) => [
      await sql.rows(`select account, amount from look_through('${PLAIN}', ${block}) order by 1`),
      await sql.rows(`select account, amount from holders('${PLAIN}', ${block}) order by 1`),
    ];
    const bring = (amount: number) =>
      database.sql.unsafe(
        `update ${foldSchema}.holding_recent set amount = ${amount}
          where block = 112 and account = decode('${ALICE.slice(2)}', 'hex')
            and asset = (select id from ${foldSchema}.asset where kind = 'erc20' and key = decode('${PLAIN.slice(2)}', 'hex'));
         update ${foldSchema}.meta set rewinds = rewinds + 1`,
      );
    const of = (amount: string) => [
      { account: ALICE, amount },
      { account: CAROL, amount: "1500001" },
    ];
    expect(await both(112)).toEqual([of("1499999"), of("1499999")]);
    await bring(1_700_000);
    expect(await both(112)).toEqual([of("1700000"), of("1700000")]);
    await bring(1_499_999);
    expect(await both(112)).toEqual([of("1499999"), of("1499999")]);
  });

  it("is read again once the index has learned something about the same block", async () => {
    const query = `select account from look_through('${PLAIN}', 112) order by 1`;
    expect(await sql.rows(query)).toEqual([{ account: ALICE }, { account: CAROL }]);
    const { foldSchema } = smallIndex;
    await database.sql.unsafe(
      `insert into ${foldSchema}.quarantine select id, 102, 3, key, 'balance below zero' from ${foldSchema}.asset
        where kind = 'erc20' and key = decode('${PLAIN.slice(2)}', 'hex');
       update ${foldSchema}.meta set revision = revision + 1`,
    );
    await expect(sql.rows(query)).rejects.toThrow("does not behave like an ERC-20");
  });
});
