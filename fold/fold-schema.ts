// The life of a fold's schema: its name, its creation, when it must be rebuilt, and which one gateways read.
import type { Sql } from "postgres";
import { hashOf, sourceFiles } from "../chains/build-hash.ts";
import { inTransaction } from "../database/in-transaction.ts";
import type { PonderProgress } from "./facts/facts-reader.ts";
import { recentFactsDdl } from "./facts/recent-facts.ts";
import { deploymentDdl, foldTablesDdl, quoted, recentSchema } from "./tables.ts";

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
    ...[
      "core/blocks-after.ts",
      "core/fact-place.ts",
      "core/fact-tables.ts",
      "core/mismatch-error.ts",
      "core/sql-literal.ts",
      "core/zero-address.ts",
    ],
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
  await inTransaction(db, "begin", async () => {
    await db.unsafe(dropFoldDdl(identity.foldSchema));
    await db`delete from tidemark.pruned where fold = ${quoted(identity.foldSchema)}`;
    await createFold(db, identity, ponder);
    await registerBuild(db, identity, { isNew: true });
    await pointGateways(db, identity);
  });
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
