// The life of a fold's schema: its name, its creation, when it must be rebuilt, and which one gateways read.
import type { Sql } from "postgres";
import { hashOf, sourceFiles } from "../chains/build-hash.ts";
import type { PonderProgress } from "./facts-reader.ts";
import { recentFactsDdl } from "./recent-facts.ts";
import { deploymentDdl, foldIndexesDdl, foldTablesDdl, quoted, recentSchema } from "./tables.ts";

/** Everything that decides the rows of the fold's tables, besides the facts themselves. */
export function foldedFiles(): string[] {
  const folders = [
    "fold",
    "core/history",
    "core/ledgers",
    "core/concentrated",
    "core/math",
    "core/v3",
    "core/island",
    "core/reported",
    "core/farm",
  ];
  return [
    ...["core/fact-place.ts", "core/fact-tables.ts", "core/sql-literal.ts", "core/zero-address.ts"],
    ...folders.flatMap((folder) => sourceFiles(folder)),
  ];
}

/** One fold schema per (Ponder schema, fold code): a changed formula folds beside the serving one. */
export function foldSchemaName(ponderSchema: string): string {
  const code = hashOf(foldedFiles(), ponderSchema);
  return `fold_${ponderSchema.replace(/^facts_/, "").replace(/_.*/, "")}_${code.slice(0, 12)}`;
}

export interface FoldIdentity {
  chainId: number;
  ponderSchema: string;
  foldSchema: string;
  firstBlock: number;
  /** Wrapped natives that log Deposit and Withdrawal in place of Transfers. */
  weth9: readonly string[];
  /** Listed vaults that log a Withdraw for all shares that they burn. */
  erc4626: readonly string[];
  /** The part of the chain file that the facts are made of: `chains/sources.ts`. Without it gateways take the chain file as it is. */
  sources?: string;
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
 * tables made anew). Resolves to how far it is and whether the schema was empty.
 */
export async function openFold(
  db: Sql,
  identity: FoldIdentity,
  ponder: PonderProgress,
): Promise<FoldStanding & { isNew: boolean }> {
  const meta = await readMeta(db, identity.foldSchema);
  if (meta && meta.ponder_build_id === ponder.buildId && meta.oid === ponder.factOid) {
    // the same contracts are indexed, but what else the file says about them may have been corrected
    await db.unsafe(
      `update ${quoted(identity.foldSchema)}.meta set sources = $1, revision = revision + 1 where sources is distinct from $1`,
      [identity.sources ?? null],
    );
    return { finalized: Number(meta.finalized), head: Number(meta.head), isNew: false };
  }
  await db.unsafe("begin");
  try {
    await db.unsafe(dropFoldDdl(identity.foldSchema));
    await db`delete from tidemark.pruned where fold = ${quoted(identity.foldSchema)}`;
    await createFold(db, identity, ponder);
    await registerBuild(db, identity, { isNew: true });
    await pointGateways(db, identity);
    await db.unsafe("commit");
  } catch (error) {
    await db.unsafe("rollback");
    throw error;
  }
  const before = identity.firstBlock - 1;
  return { finalized: before, head: before, isNew: true };
}

/** Remembers when this index was made: now, if it `isNew` or that is unknown. */
export async function registerBuild(db: Sql, identity: FoldIdentity, { isNew }: { isNew: boolean }): Promise<void> {
  const { chainId, ponderSchema, foldSchema } = identity;
  const update = isNew ? "(chain_id, fold_schema) do update set ponder_schema = $2, since = now()" : "do nothing";
  await db.unsafe(
    `insert into tidemark.build (chain_id, ponder_schema, fold_schema) values ($1, $2, $3) on conflict ${update}`,
    [chainId, ponderSchema, foldSchema],
  );
}

/** How far a fold is. */
export interface FoldStanding {
  finalized: number;
  head: number;
}

/** Empty tables for the facts of `identity`. */
export async function createFold(
  db: Sql,
  { chainId, foldSchema, ponderSchema, firstBlock, weth9, erc4626, sources }: FoldIdentity,
  { buildId, factOid }: Pick<PonderProgress, "buildId" | "factOid">,
): Promise<void> {
  await db.unsafe(foldTablesDdl(foldSchema));
  await db.unsafe(recentFactsDdl(foldSchema, ponderSchema));
  await db.unsafe(
    `insert into ${quoted(foldSchema)}.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, finalized, head, sources)
     values ($1, $2, $3, $4, $5, $6, $6, $7)`,
    [chainId, ponderSchema, buildId, factOid, firstBlock, firstBlock - 1, sources ?? null],
  );
  for (const [table, tokens] of Object.entries({ weth9, erc4626 }))
    for (const token of tokens)
      await db.unsafe(`insert into ${quoted(foldSchema)}.${table} values ($1)`, [token.toLowerCase()]);
}

/** The fold's tables, and its copies of facts. */
export const dropFoldDdl = (foldSchema: string): string =>
  `drop schema if exists ${quoted(foldSchema)} cascade; drop schema if exists ${quoted(recentSchema(foldSchema))} cascade`;

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

interface Load {
  foldSchema: string;
  stepTables: readonly string[];
}

const loadedTables = (stepTables: readonly string[]): string[] => [
  ...["holding_interval", "holding_current", "holder", "asset"],
  ...stepTables,
];

/**
 * After the first load: builds the indexes in parallel and analyzes each table by a tenth of the usual sample, enough for the planner to
 * know sizes. From then on the tables are read.
 */
export async function indexLoad(connections: readonly Sql[], { foldSchema, stepTables }: Load): Promise<void> {
  const s = quoted(foldSchema);
  await Promise.all(connections.map((db) => db.unsafe("set maintenance_work_mem = '256MB'")));
  await runOn(connections, statementsOf(foldIndexesDdl(foldSchema)));
  await Promise.all(connections.map((db) => db.unsafe("set default_statistics_target = 10")));
  await runOn(
    connections,
    loadedTables(stepTables).map((table) => `analyze ${s}.${table}`),
  );
  await Promise.all(connections.map((db) => db.unsafe("reset default_statistics_target")));
  await connections[0]?.unsafe(`update ${s}.meta set is_indexed = true`);
}

/** After {@link indexLoad}: index-only scans no longer visit the table, which makes whole lists quicker, and plans get their final quality. */
export async function vacuumLoad(db: Sql, { foldSchema, stepTables }: Load): Promise<void> {
  for (const table of loadedTables(stepTables)) await db.unsafe(`vacuum (analyze) ${quoted(foldSchema)}.${table}`);
}

/** {@link indexLoad} and {@link vacuumLoad}, for callers that do nothing meanwhile. */
export async function finishLoad(connections: readonly [Sql, ...Sql[]], load: Load): Promise<void> {
  await indexLoad(connections, load);
  await vacuumLoad(connections[0], load);
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

/** Whether {@link indexLoad} has built every index. */
export async function hasIndexes(db: Sql, foldSchema: string): Promise<boolean> {
  const [meta] = await db.unsafe(`select is_indexed from ${quoted(foldSchema)}.meta`);
  return meta?.is_indexed === true;
}
