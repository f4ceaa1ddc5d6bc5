// The seeded devnet folded again, by a reader to whom the node refuses every island: all of them wait, the head is reached, and
// once they are read the tables are those of the fold that had them at once, which is held against the contracts elsewhere.
import { pino } from "pino";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { indexingOf } from "../../chains/indexing.ts";
import { foldBatch } from "../../fold/fold-batch.ts";
import { dropFoldDdl } from "../../fold/fold-schema.ts";
import { HeadFollower } from "../../fold/follow/follow-head.ts";
import { sequence } from "../../fold/sequential-step.ts";
import { createSteps } from "../../fold/steps.ts";
import { quoted } from "../../fold/tables.ts";
import { foldDifferences } from "../fold/reorgs/fold-differences.ts";
import { createIndexedFold } from "../support/folded-index.ts";
import { seeded, seededChain } from "./seeded-index.ts";

const FOLD = "fold_seeded_waiting";
const chain = seededChain();
const identity = {
  ...{ chainId: chain.chainId, firstBlock: chain.startBlock, weth9: indexingOf(chain).weth9 },
  erc4626: indexingOf(chain).erc4626Vaults.addresses,
  ...{ ponderSchema: seeded.ponderSchema, foldSchema: FOLD },
};
const [s, whole] = [quoted(FOLD), quoted(seeded.foldSchema)];
let db: Sql;

beforeAll(() => {
  db = postgres(seeded.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await db.unsafe(dropFoldDdl(FOLD));
  await db.end({ timeout: 2 });
});

/** What the readers of the chain leave behind to whom the node answers everything but islands. */
async function refuseIslands(): Promise<void> {
  await db.unsafe(`
    insert into ${s}.v3_pool_fee select * from ${whole}.v3_pool_fee;
    insert into ${s}.island_settings_retry (address, block, block_hash, attempts, last_error, next_try)
    select address, block, block_hash, 1, 'refused', now() from ${whole}.island_settings`);
}

async function countWaiting(): Promise<{ waiting: number; islands: number }> {
  const [row] = await db.unsafe(
    `select count(waiting_block)::int as waiting, count(*)::int as islands from ${s}.island`,
  );
  return { waiting: Number(row?.waiting), islands: Number(row?.islands) };
}

test("islands that nobody could read hold nothing back, and catch up to what they would have been", async () => {
  await createIndexedFold(db, identity);
  await refuseIslands();
  const schemas = { ponder: seeded.ponderSchema, fold: FOLD };
  const log = pino({ level: "silent" });
  const steps = sequence(db, FOLD, createSteps(db, { chain, schemas, log }));
  for (let after = chain.startBlock - 1; after < seeded.finalized; )
    after = (await foldBatch(db, { identity, steps, range: { after, upTo: seeded.finalized } })).upTo;
  const follower = new HeadFollower(db, { chainId: chain.chainId, schemas, steps, log });
  for (let isBehind = true; isBehind; ) isBehind = (await follower.turn())?.isBehind === true;

  const [meta] = await db.unsafe(`select head, finalized from ${s}.meta`);
  expect(meta).toMatchObject({ head: seeded.head, finalized: seeded.finalized });
  const { waiting, islands } = await countWaiting();
  expect(waiting).toBe(islands);
  expect(waiting).toBeGreaterThan(0);
  const folds = { followed: FOLD, fresh: seeded.foldSchema };
  expect(await foldDifferences(db, folds, { besideWaiting: true })).toEqual([]);

  await db.unsafe(`insert into ${s}.island_settings select * from ${whole}.island_settings`);
  const started = performance.now();
  while (await steps.catchUp());
  console.log(`${waiting} islands have caught up in ${Math.round(performance.now() - started)} ms`);
  expect((await countWaiting()).waiting).toBe(0);
  expect(await foldDifferences(db, folds)).toEqual([]);
}, 600_000);
