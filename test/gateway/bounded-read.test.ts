// A read of facts that takes too long is given up, and the request goes on as before.

import { afterAll, beforeAll, expect, it } from "vitest";
import { readBounded, TooManyFactsError } from "../../gateway/analytics/bounded-read.ts";
import { AnswerCache } from "../../gateway/cache/answer-cache.ts";
import { publicError } from "../../gateway/errors.ts";
import { openDatabase } from "../../gateway/ledger/database.ts";
import { LiveSchemaCache } from "../../gateway/ledger/live-schemas.ts";
import { Snapshot } from "../../gateway/ledger/snapshot.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
});
afterAll(() => database.stop());

const timeoutText = "select current_setting('statement_timeout') as limit";

it("is 503 after a second, lets go of the locks, and leaves the snapshot and its own limit as they were", async () => {
  const reader = openDatabase(database.url);
  const snapshot = new Snapshot({
    database: reader,
    live: new LiveSchemaCache(reader),
    cache: new AnswerCache(),
    chainId: 31337,
  });
  try {
    const failure = await snapshot
      .withFacts((facts) => readBounded(facts, "select pg_sleep(20)"))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TooManyFactsError);
    expect(publicError(failure)).toMatchObject({ status: 503, code: "TIMEOUT", retryAfterSeconds: 2 });
    const [locks] = await database.sql`
      select count(*)::int as n from pg_locks l join pg_class c on c.oid = l.relation join pg_database d on d.oid = l.database
       where d.datname = current_database() and c.relname = 'v3_swap' and l.granted`;
    expect(locks?.n).toBe(0);
    expect(await snapshot.rows(timeoutText)).toEqual([{ limit: "15s" }]);
    const limits = await snapshot.withFacts((facts) => readBounded<{ limit: string }>(facts, timeoutText));
    expect(limits).toEqual([{ limit: "1s" }]);
  } finally {
    await snapshot.close();
    await reader.close();
  }
});
