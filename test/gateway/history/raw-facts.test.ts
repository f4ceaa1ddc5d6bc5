// A read of facts that takes too long is given up, and the request goes on as before.

import { afterAll, beforeAll, expect, it } from "vitest";
import { AnswerCache } from "../../../gateway/cache/answer-cache.ts";
import { ChainMemory } from "../../../gateway/database/chain-memory.ts";
import { openDatabase } from "../../../gateway/database/database.ts";
import { Snapshot } from "../../../gateway/database/snapshot.ts";
import { publicError } from "../../../gateway/errors.ts";
import { readBounded, readFacts, TooManyFactsError } from "../../../gateway/history/raw-facts.ts";
import { buildIndex } from "../../support/index-fixture.ts";
import { smallIndex } from "../../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
});
afterAll(() => database.stop());

const timeoutText = "select current_setting('statement_timeout') as limit";

it("a slow read is 503 after a second, lets go of the locks, and leaves the snapshot and its own limit as they were", async () => {
  const reader = openDatabase(database.url);
  const snapshot = new Snapshot({
    database: reader,
    memory: new ChainMemory(reader),
    cache: new AnswerCache(),
    chainId: 31337,
  });
  try {
    const read = "select pg_sleep(20), (select count(*) from fold_small.v3_swap)";
    const failure = await readFacts(snapshot, (facts) => readBounded(facts, read)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TooManyFactsError);
    expect(publicError(failure)).toMatchObject({ status: 503, code: "TIMEOUT", retryAfterSeconds: 2 });
    // its own alone: autovacuum locks tables, too
    const [locks] = await database.sql`
      select count(*)::int as n from pg_locks l join pg_stat_activity a using (pid) join pg_class c on c.oid = l.relation
       where a.datname = current_database() and a.application_name = 'tidemark-gateway' and c.relname = 'v3_swap' and l.granted`;
    expect(locks?.n).toBe(0);
    expect(await snapshot.rows(timeoutText)).toEqual([{ limit: "15s" }]);
    const limits = await readFacts(snapshot, (facts) => readBounded<{ limit: string }>(facts, timeoutText));
    expect(limits).toEqual([{ limit: "1s" }]);
    expect(await readFacts(snapshot, (facts) => facts.rows(timeoutText))).toEqual([{ limit: "5s" }]);
  } finally {
    await snapshot.close();
    await reader.close();
  }
});

it("the view shows the facts of every folded block, newer ones beside final ones, as a whole and in parts", async () => {
  const reader = openDatabase(database.url);
  const snapshot = new Snapshot({
    database: reader,
    memory: new ChainMemory(reader),
    cache: new AnswerCache(),
    chainId: 31337,
  });
  // no block of it is folded yet
  await database.sql`insert into facts_small.erc20_transfer
    select 116, log_index, tx_index, timestamp, token, "from", "to", amount from facts_small.erc20_transfer where block = 101`;
  try {
    const found = await readFacts(snapshot, async ({ rows, view, parts }) => {
      const placesIn = (relation: string) => rows(`select f.block, f.log_index from ${relation} f`);
      return {
        whole: await placesIn(view("erc20_transfer")),
        parts: await Promise.all(parts("erc20_transfer").map(placesIn)),
        blocks: parts("block"),
      };
    });
    const inOrder = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
    const expected = smallIndex.facts.map(({ block, logIndex }) => ({ block, log_index: logIndex }));
    expect(inOrder(found.whole)).toEqual(inOrder(expected));
    const [final = [], newer = []] = found.parts;
    expect(inOrder(final)).toEqual(inOrder(expected.filter(({ block }) => block <= smallIndex.finalized)));
    expect(inOrder(newer)).toEqual(inOrder(expected.filter(({ block }) => block > smallIndex.finalized)));
    expect(found.blocks).toEqual(['"fold_small".block']);
  } finally {
    await snapshot.close();
    await reader.close();
  }
});
