// Where a chain file lists tokens, nothing is known of any other one: an empty list would say that nobody has any of it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { sourcesText } from "../../chains/sources.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { PLAIN, smallIndex, UNKNOWN, YOUNG } from "../support/small-index.ts";
import { type SmallSql, startSmallSql } from "../support/small-sql.ts";

let small: SmallSql;
beforeAll(async () => {
  small = await startSmallSql();
});
afterAll(() => small?.stop());

const SILENT = `0x${"5a".repeat(20)}`;

it("A token that is not indexed is refused where it is named, and one without any transfer has no holders.", async () => {
  const { database, sql } = small;
  const tokens = [PLAIN, SILENT].map((address) => ({ address, startBlock: 100 }));
  const read = (listed: unknown) =>
    database.sql.unsafe(`update ${smallIndex.foldSchema}.meta set sources = $1`, [
      sourcesText(chainFixture({ chainId: 31337, startBlock: 100, tokens: listed })),
    ]);
  const holders = (token: string) => sql.rows(`select account from holders('${token}', 112)`);
  await read(tokens);
  expect(await holders(PLAIN)).toHaveLength(2);
  expect(await holders(SILENT)).toEqual([]);
  // such as a share that is not listed
  expect(await holders(YOUNG)).toHaveLength(1);
  for (const call of [`holders('${UNKNOWN}', 112)`, `holdings('${UNKNOWN}', 101, 112)`])
    await expect(sql.rows(`select * from ${call}`)).rejects.toMatchObject({
      ...{ code: "SQL_INVALID", details: { line: 1, column: 15 } },
      message: expect.stringContaining(`token: ${UNKNOWN} is not among the tokens that are indexed`),
    });
  await read("all");
  expect(await holders(UNKNOWN)).toEqual([]);
});
