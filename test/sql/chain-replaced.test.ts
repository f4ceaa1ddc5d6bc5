// SQL while the chain has replaced final blocks: the fold has closed what it holds by blocks of the branch that is gone.
import { afterAll, beforeAll, expect, it } from "vitest";
import { PLAIN } from "../support/small-index.ts";
import { type SmallSql, startSmallSql } from "../support/small-sql.ts";

let small: SmallSql;

beforeAll(async () => {
  small = await startSmallSql();
});
afterAll(() => small?.stop());

const statements = [
  `select * from holders('${PLAIN}', 104)`,
  "select head() as head",
  "select count(*) as n from block",
];

it("answers no statement while final blocks are replaced, says up to where other questions are answered, and goes on afterwards", async () => {
  const { database, sql } = small;
  const before = await Promise.all(statements.map((query) => sql.rows(query)));
  expect(before[0]).toHaveLength(2);
  for (const fork of [104, -1]) {
    await database.sql`insert into tidemark.chain_stop values (31337, 108, '0xaa', '0xbb', ${fork})`;
    for (const query of statements)
      await expect(sql.rows(query), query).rejects.toMatchObject({
        ...{ code: "CHAIN_REPLACED", status: 409, retryAfterSeconds: undefined },
        details: { lastSyncedBlock: fork === -1 ? null : fork },
        message: expect.stringMatching(
          fork === -1 ? /block 108, which was final. SQL is answered again/ : /questions are answered up to block 104/,
        ),
      });
    await database.sql`delete from tidemark.chain_stop`;
  }
  expect(await Promise.all(statements.map((query) => sql.rows(query)))).toEqual(before);
});
