// A token that breaks in a block that may still be replaced: SQL reports the break at the same blocks as /balances.
import { afterAll, beforeAll, expect, it } from "vitest";
import { ALICE, BREAKING } from "../support/small-index.ts";
import { type SmallSql, startSmallSql } from "../support/small-sql.ts";
import type { TestSql } from "../support/sql-engine.ts";

let ground: SmallSql;
let sql: TestSql;

beforeAll(async () => {
  ground = await startSmallSql();
  ({ sql } = ground);
});
afterAll(() => ground?.stop());

it("statements see a token that broke in a block that may be replaced at every block before that, as /balances does", async () => {
  const alone = [{ account: ALICE, amount: "5" }];
  for (const block of [101, 110, 112]) {
    expect(await sql.rows(`select * from holders('${BREAKING}', ${block})`), String(block)).toEqual(alone);
    const through = `select account, amount from look_through('${BREAKING}', ${block})`;
    expect(await sql.rows(through), String(block)).toEqual(alone);
    const supply = `select amount from supplies_at(${block}) where token = '${BREAKING}'`;
    expect(await sql.rows(supply), String(block)).toEqual([{ amount: "5" }]);
  }
  const all = `select account, amount, from_block, to_block from holdings('${BREAKING}', 101, 112)`;
  expect(await sql.rows(all)).toEqual([{ account: ALICE, amount: "5", from_block: 101, to_block: null }]);
  expect(await sql.rows(`select * from supplies_at(113) where token = '${BREAKING}'`)).toEqual([]);
});
