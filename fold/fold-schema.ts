// The life of a fold's schema: its name, its creation, when it must be rebuilt, and which one gateways read.
import type { Sql } from "postgres";
import { hashOf, sourceFiles } from "../chains/build-hash.ts";
import type { PonderProgress } from "./facts-reader.ts";
import { deploymentDdl, foldIndexesDdl, foldTablesDdl, quoted } from "./tables.ts";

/** One fold schema per (Ponder schema, fold code): a changed formula folds beside the serving one. */
export function foldSchemaName(ponderSchema: string): string {
  const folders = [
    "fold",
    "core/history",
    "core/ledgers",
    "core/math",
    "core/v3",
    "core/island",
    "core/told",
    "core/farm",
  ];
  const code = hashOf(
    folders.flatMap((folder) => sourceFiles(folder)),
    ponderSchema,
  );
  return `fold_${ponderSchema.replace(/^facts_/, "").replace(/_.*/, "")}_${code.slice(0, 12)}`;
}

export interface FoldIdentity {
  chainId: number;
  ponderSchema: string;
  foldSchema: string;
  firstBlock: number;
}

export async function ensureDeployment(db: Sql): Promise<void> {
  await db.unsafe(deploymentDdl);
}

async function readMeta(db: Sql, foldSchema: string) {
  const [there] = await db`select to_regclass(${`${quoted(foldSchema)}.meta`}) is not null as there`;
  if (!there?.there) return undefined;
  const [meta] = await db.unsafe(`select *, fact_oid::text as oid from ${quoted(foldSchema)}.meta`);
  return meta;
}

/**
 * Creates the schema, or drops and recreates it when it was folded from other facts (another build of Ponder, or its
 * tables made anew). Returns the watermark and whether the schema was empty.
 */
export async function openFold(
  db: Sql,
  identity: FoldIdentity,
  ponder: PonderProgress,
): Promise<{ watermark: number; isNew: boolean }> {
  const { chainId, foldSchema, ponderSchema, firstBlock } = identity;
  const meta = await readMeta(db, foldSchema);
  if (meta && meta.ponder_build_id === ponder.buildId && meta.oid === ponder.factOid) {
    return { watermark: Number(meta.watermark), isNew: false };
  }
  const watermark = firstBlock - 1;
  await db.unsafe("begin");
  try {
    await db.unsafe(`drop schema if exists ${quoted(foldSchema)} cascade`);
    await db.unsafe(foldTablesDdl(foldSchema));
    await db.unsafe(
      `insert into ${quoted(foldSchema)}.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, watermark)
       values ($1, $2, $3, $4, $5, $6)`,
      [chainId, ponderSchema, ponder.buildId, ponder.factOid, firstBlock, watermark],
    );
    await db.unsafe("commit");
  } catch (error) {
    await db.unsafe("rollback");
    throw error;
  }
  return { watermark, isNew: true };
}

/** Points gateways at this fold if the chain has none yet. */
export async function pointGateways(db: Sql, { chainId, foldSchema, ponderSchema }: FoldIdentity): Promise<void> {
  await db.unsafe(
    `insert into tidemark.live (chain_id, ponder_schema, fold_schema) values ($1, $2, $3) on conflict do nothing`,
    [chainId, ponderSchema, foldSchema],
  );
}

export async function isLive(db: Sql, identity: FoldIdentity): Promise<boolean> {
  const [live] = await db`select fold_schema, ponder_schema from tidemark.live where chain_id = ${identity.chainId}`;
  return live?.fold_schema === identity.foldSchema && live?.ponder_schema === identity.ponderSchema;
}

/** After the first load: indexes, side by side, then a vacuum so that index-only scans are index-only. */
export async function finishLoad(
  connections: readonly Sql[],
  { foldSchema, stepTables }: { foldSchema: string; stepTables: readonly string[] },
): Promise<void> {
  const s = quoted(foldSchema);
  await Promise.all(connections.map((db) => db.unsafe("set maintenance_work_mem = '256MB'")));
  await runOn(connections, statementsOf(foldIndexesDdl(foldSchema)));
  const tables = ["holding_interval", "holding_current", "holder", "asset", ...stepTables];
  await runOn(
    connections,
    tables.map((table) => `vacuum (analyze) ${s}.${table}`),
  );
}

const statementsOf = (ddl: string): string[] =>
  ddl
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");

/** Each statement once, on whichever connection is free. */
async function runOn(connections: readonly Sql[], statements: readonly string[]): Promise<void> {
  const waiting = [...statements];
  const work = async (db: Sql) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await db.unsafe(next);
  };
  await Promise.all(connections.map(work));
}

/** Whether {@link finishLoad} has built every index. */
export async function hasIndexes(db: Sql, foldSchema: string): Promise<boolean> {
  const names = [...foldIndexesDdl(foldSchema).matchAll(/index if not exists (\w+)/g)].map(([, name]) => name ?? "");
  const [row] = await db`select count(*)::int as n from pg_catalog.pg_indexes
    where schemaname = ${foldSchema} and indexname = any(${names})`;
  return row?.n === names.length;
}
