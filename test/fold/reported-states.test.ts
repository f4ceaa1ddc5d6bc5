// States that contracts report whole, against a list of what each reported when: wherever batches are cut, every block of every
// contract has the last report up to it.
import fc from "fast-check";
import type { ReservedSql } from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { v2Reports } from "../../core/reported/reported-state.ts";
import { finalFacts } from "../../fold/facts/fact-source.ts";
import { ReportedStep } from "../../fold/reported/step.ts";
import { foldIndexesDdl, foldTablesDdl } from "../../fold/tables.ts";
import { emptySchema } from "../support/emptied-schema.ts";
import { createFactTables, timestampOf } from "../support/index-fixture.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const SCHEMAS = { ponder: "facts_told", fold: "fold_told" };
const RUNS = Number(process.env.FOLD_PROPERTY_RUNS ?? 12);
const LAST = 40;

let database: TestDatabase;
let db: ReservedSql;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.sql.reserve();
  await createFactTables(database.sql, SCHEMAS.ponder);
});
afterAll(async () => {
  db?.release();
  await database?.stop();
});

interface Report {
  pair: string;
  block: number;
  reserve: number;
}

const reports = fc.array(
  fc.record({
    pair: fc.integer({ min: 1, max: 3 }).map(accountOf),
    block: fc.integer({ min: 0, max: LAST }),
    reserve: fc.integer({ min: 0, max: 1_000_000 }),
  }),
  { maxLength: 60 },
);
const cutsOf = fc.uniqueArray(fc.integer({ min: 0, max: LAST }), { maxLength: 6 });

async function foldReports(reports: readonly Report[], cuts: readonly number[]): Promise<void> {
  await db.unsafe(`delete from ${SCHEMAS.ponder}.v2_sync`);
  const rows = reports.map(({ pair, block, reserve }, logIndex) => ({
    block,
    log_index: logIndex,
    tx_index: 0,
    timestamp: timestampOf(block),
    pair,
    reserve0: reserve,
    reserve1: 1,
  }));
  if (rows.length > 0) await db`insert into ${db(SCHEMAS.ponder)}.v2_sync ${db(rows)}`;
  if (!(await emptySchema(db, SCHEMAS.fold)))
    await db.unsafe(`${foldTablesDdl(SCHEMAS.fold)}${foldIndexesDdl(SCHEMAS.fold)}`);
  const step = new ReportedStep(db, { schemas: SCHEMAS, state: v2Reports });
  await step.open();
  let after = -1;
  for (const upTo of [...cuts, LAST].sort((a, b) => a - b)) {
    if (upTo === after) continue;
    await step.stage({ after, upTo }, finalFacts(db, SCHEMAS));
    await db.unsafe("begin");
    await step.write();
    await db.unsafe("commit");
    after = upTo;
  }
}

/** `<pair> <block> <reserve>` for every block at which a row says what held. */
async function held(): Promise<string[]> {
  const s = SCHEMAS.fold;
  const rows = await db.unsafe(`
    select '0x' || encode(pair, 'hex') as pair, block, reserve0::text as reserve from (
      select pair, from_block, to_block, reserve0 from ${s}.v2_reserve_interval
      union all select pair, since, ${LAST + 1}, reserve0 from ${s}.v2_reserve_current) r,
      generate_series(from_block, to_block - 1) block`);
  return rows.map(({ pair, block, reserve }) => `${pair} ${block} ${reserve}`).sort();
}

function heldByHand(reports: readonly Report[]): string[] {
  const pairs = [...new Set(reports.map(({ pair }) => pair))];
  return pairs
    .flatMap((pair) =>
      Array.from({ length: LAST + 1 }, (_, block) => {
        const before = reports.filter((one) => one.pair === pair && one.block <= block);
        const last = before.reduce<Report | undefined>(
          (held, one) => (held && held.block > one.block ? held : one),
          undefined,
        );
        return last ? [`${pair} ${block} ${last.reserve}`] : [];
      }),
    )
    .flat()
    .sort();
}

it("the fold has what was reported last, at every block and wherever batches are cut", async () => {
  await fc.assert(
    fc.asyncProperty(reports, cutsOf, async (reported, cuts) => {
      await foldReports(reported, cuts);
      expect(await held()).toEqual(heldByHand(reported));
    }),
    { numRuns: RUNS },
  );
});
