// DuckDB makes doubles of numbers with an exponent, of powers and of what is written out from 2^128 on, and of an amount that is compared
// with one: 999999999999999999999 >= 1e21 is true.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SmallSql, startSmallSql } from "../support/small-sql.ts";
import type { TestSql } from "../support/sql-engine.ts";

let ground: SmallSql;
let sql: TestSql;

beforeAll(async () => {
  ground = await startSmallSql();
  ({ sql } = ground);
});
afterAll(() => ground?.stop());

describe("an amount", () => {
  it.each([
    ["select 1 from holdings\n where amount >= 1e21", 2, 18],
    ["select 1 from holdings where 1e21 < amount", 1, 30],
    ["select 1 from holdings where amount between 5 and 1000 * 10^18", 1, 56],
    ["select 1 from holdings where amount not in (1, 1e18 - 1)", 1, 53],
    ["select case amount when 1e20 then 1 end from holdings", 1, 25],
    ["select 1 from holdings where amount = pow(10, 18)", 1, 39],
    [`select 1 from holdings where amount = ${2n ** 128n}`, 1, 39],
    ["select token, sum(amount) from holdings group by 1 having sum(amount) > 1e21", 1, 73],
    ["select a.amount >= 1e21 as large from holdings a", 1, 20],
  ])("is not compared with a number that DuckDB rounds: %j", async (text, line, column) => {
    const refused = await sql.text(text).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "SQL_INVALID", details: { line, column } });
    expect((refused as Error).message).toContain("write all digits, as in '1000000000000000000000'::BIGNUM");
  });

  it.each([
    "amount >= '1000000000000000000000'::BIGNUM",
    "amount >= 1000000000000000000000",
    `amount < ${2n ** 128n - 1n}`,
    "amount > 1e15",
    "amount >= 1e21::DOUBLE",
    "amount / 1e18 > 1e21",
    "amount::DOUBLE > 10^18",
    "1e21 > 1",
    "amount > 10^6",
    "from_block > 2 * 10^7",
    "to_timestamp(1.7e9) < now()",
    "to_block in (1, 2)",
  ])("is compared where it is exact, or where the statement says that it is not: %s", async (where) => {
    await expect(sql.rows(`select count(*) as n from holdings where ${where}`)).resolves.toHaveLength(1);
  });

  it("differs from its neighbours where it is compared with a number in quotes or below 2^128", async () => {
    const [answer] = await sql.rows(`
      select '999999999999999999999'::BIGNUM >= 1000000000000000000000 as one,
             '${2n ** 256n - 1n}'::BIGNUM > '${2n ** 256n - 2n}'::BIGNUM as two,
             '${2n ** 128n - 2n}'::BIGNUM = ${2n ** 128n - 1n} as three`);
    expect(answer).toEqual({ one: false, two: true, three: false });
  });
});

it("A statement does not sleep, whatever the function is called.", async () => {
  await expect(sql.text("select pg_sleep(1)")).rejects.toMatchObject({ code: "SQL_INVALID" });
});
