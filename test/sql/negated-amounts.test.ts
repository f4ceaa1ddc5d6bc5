// The difference of two amounts can be compared, their negation cannot: DuckDB 1.5 leaves a part of a negated BIGNUM unset that it
// compares first.
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

describe("amounts", () => {
  it.each([
    ["select\n -amount from holdings", 2, 2],
    ["select greatest(amount, - amount) from holdings", 1, 25],
    ["select 1 from holdings where -(amount + 1) < 5", 1, 30],
    ["select list_transform([amount], x -> -x) from holdings", 1, 38],
    ["select subtract(amount) from holdings", 1, 8],
  ])("cannot be negated: %j", async (text, line, column) => {
    const refused = await sql.text(text).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "SQL_INVALID", details: { line, column } });
    expect((refused as Error).message).toContain("write 0 - x in place of -x");
  });

  it("can be subtracted, and the difference compared: at every size, below and above zero", async () => {
    const sizes = Array.from({ length: 77 }, (_, size) => 10n ** BigInt(size) + BigInt(size));
    const values = sizes.flatMap((size) => [size, -size]).map((value) => `('${value}'::BIGNUM)`);
    const [answer] = await sql.rows(`
      with v(x) as (values ${values.join(", ")})
      select count(*) as pairs,
             count(*) filter (where (0 - a.x < b.x) <> (a.x + b.x > 0) or greatest(a.x, 0 - a.x) < 0) as wrong
        from v a, v b`);
    expect(answer).toEqual({ pairs: 154 * 154, wrong: 0 });
  });

  it("may be compared with numbers below zero", async () => {
    expect(await sql.rows("select count(*) as n from holdings where amount < -5 or 0 - amount > - 0")).toEqual([
      { n: 0 },
    ]);
  });
});
