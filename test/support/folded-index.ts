// An index as the product's own fold leaves it: final facts folded in sets, newer ones followed block by block.
import { pino } from "pino";
import type { ReservedSql, Sql } from "postgres";
import type { ChainFile } from "../../chains/chain-file.ts";
import { reportedStates } from "../../core/reported/reported-state.ts";
import type { Schemas } from "../../fold/facts/fact-source.ts";
import { foldBatch } from "../../fold/fold-batch.ts";
import { createFold, type FoldIdentity } from "../../fold/fold-schema.ts";
import { HeadFollower } from "../../fold/follow/follow-head.ts";
import { ReportedStep } from "../../fold/reported/step.ts";
import { type SequentialStep, sequence } from "../../fold/sequential-step.ts";
import { createSteps } from "../../fold/steps.ts";
import { foldIndexesDdl, quoted } from "../../fold/tables.ts";
import { takeFold } from "./index-stock.ts";

export type StepsOf = (db: Sql, schemas: Schemas) => SequentialStep[];

export const reportedSteps: StepsOf = (db, schemas) =>
  reportedStates.map((state) => new ReportedStep(db, { schemas, state }));

const silent = pino({ level: "silent" });

/** All that the product folds of such a chain. */
export const stepsOfChain =
  (chain: ChainFile): StepsOf =>
  (db, schemas) =>
    createSteps(db, { chain, schemas, log: silent });

/** What Ponder says of itself: everything below `safe` is final. */
export async function setCheckpoint(sql: Sql, ponderSchema: string, safe: number): Promise<void> {
  const text = `${"0".repeat(26)}${String(safe).padStart(16, "0")}${"9".repeat(33)}`;
  await sql.unsafe(`
    insert into ${quoted(ponderSchema)}._ponder_checkpoint values ('test', 31337, '${text}', '${text}', '${text}')
    on conflict (chain_name) do update set safe_checkpoint = excluded.safe_checkpoint,
      latest_checkpoint = excluded.latest_checkpoint, finalized_checkpoint = excluded.finalized_checkpoint`);
}

/** Sends everything but the making of tables. */
const withoutDdl = (sql: Sql): Sql =>
  ({
    unsafe: async (...[text, ...rest]: Parameters<Sql["unsafe"]>) =>
      /^\s*create /.test(text) ? [] : sql.unsafe(text, ...rest),
  }) as unknown as Sql;

/** Empty tables of a fold, with all indexes; gateways may read it. */
export async function createIndexedFold(sql: Sql, identity: FoldIdentity): Promise<void> {
  const [row] = await sql.unsafe(`select '${quoted(identity.ponderSchema)}.block'::regclass::oid::text as oid`);
  const hasTables = await takeFold(sql, identity);
  await createFold(hasTables ? withoutDdl(sql) : sql, identity, { buildId: "fixture", factOid: String(row?.oid) });
  if (!hasTables) await sql.unsafe(foldIndexesDdl(identity.foldSchema));
  await sql.unsafe(`update ${quoted(identity.foldSchema)}.meta set is_indexed = true`);
}

/** Follows Ponder's blocks until nothing is left to do. */
export async function followFacts(
  sql: Sql,
  { ponderSchema, foldSchema }: Pick<FoldIdentity, "ponderSchema" | "foldSchema">,
  stepsOf: StepsOf = reportedSteps,
): Promise<void> {
  const db = await sql.reserve();
  try {
    await follow(db, { ponder: ponderSchema, fold: foldSchema }, stepsOf);
  } finally {
    db.release();
  }
}

async function follow(db: ReservedSql, schemas: Schemas, stepsOf: StepsOf): Promise<void> {
  const steps = sequence(db, schemas.fold, stepsOf(db, schemas));
  const follower = new HeadFollower(db, { chainId: 31337, schemas, steps, log: silent });
  for (let isBehind = true; isBehind; ) isBehind = (await follower.turn())?.isBehind === true;
}

/** The chain has no blocks after `block` any more, and nothing in their place: what the running fold gets from the node. */
export async function cutBackTo(
  sql: Sql,
  { ponderSchema, foldSchema }: Pick<FoldIdentity, "ponderSchema" | "foldSchema">,
  block: number,
): Promise<void> {
  const db = await sql.reserve();
  try {
    const schemas = { ponder: ponderSchema, fold: foldSchema };
    const steps = sequence(db, foldSchema, reportedSteps(db, schemas));
    await new HeadFollower(db, { chainId: 31337, schemas, steps, log: silent }).goBackTo(block);
  } finally {
    db.release();
  }
}

/** Lets what waits alone catch up, as far as it can. */
export async function catchUpAlone(
  sql: Sql,
  { ponderSchema, foldSchema }: Pick<FoldIdentity, "ponderSchema" | "foldSchema">,
  stepsOf: StepsOf,
): Promise<void> {
  const db = await sql.reserve();
  try {
    const steps = sequence(db, foldSchema, stepsOf(db, { ponder: ponderSchema, fold: foldSchema }));
    for (let isMore = true; isMore; ) isMore = await steps.catchUp();
  } finally {
    db.release();
  }
}

/** Folds facts up to `finalized` in one go, and follows the newer ones to the head; `prepare` has the empty tables first. */
export async function foldFacts(
  sql: Sql,
  identity: FoldIdentity & { finalized: number; prepare?: (() => Promise<void>) | undefined },
  stepsOf: StepsOf = reportedSteps,
): Promise<void> {
  const { ponderSchema, foldSchema, firstBlock, finalized } = identity;
  const schemas = { ponder: ponderSchema, fold: foldSchema };
  await setCheckpoint(sql, ponderSchema, finalized + 1);
  await createIndexedFold(sql, identity);
  await identity.prepare?.();
  const db = await sql.reserve();
  try {
    const steps = sequence(db, foldSchema, stepsOf(db, schemas));
    for (let after = firstBlock - 1; after < finalized; )
      after = (await foldBatch(db, { identity, steps, range: { after, upTo: finalized } })).upTo;
    await follow(db, schemas, stepsOf);
  } finally {
    db.release();
  }
}
