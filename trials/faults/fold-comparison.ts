// Compares the fold with one that nothing disturbed: the same facts folded in one go into another schema.
import postgres from "postgres";
import { readProgress } from "../../fold/facts/facts-reader.ts";
import { stageFacts } from "../../fold/facts/stage-facts.ts";
import { createFold, dropFoldDdl } from "../../fold/fold-schema.ts";
import { foldHoldings } from "../../fold/holdings/fold-holdings.ts";
import { TRIAL_CHAIN_ID } from "./chain-file.ts";
import type { Stack } from "./stack.ts";
import { trialTokens } from "./trial-chain.ts";

const UNDISTURBED = "fold_undisturbed";
const COMPARED = ["asset", "holding_current", "holding_interval", "holder", "quarantine"] as const;

export interface FoldComparison {
  rows: number;
  /** Up to this block. */
  finalized: number;
  /** One line per table that differs. */
  faults: string[];
}

/** Waits until everything final is folded, stops the fold for as long as it compares, and starts it again. */
export async function compareFold(stack: Stack): Promise<FoldComparison> {
  const { fold, sql } = stack;
  await waitFolded(stack);
  await fold.kill();
  const foldSchema = await stack.foldSchema();
  const finalized = await finalizedOf(stack);
  const rows = await foldUndisturbed(stack, finalized);
  const faults: string[] = [];
  for (const table of COMPARED) {
    const [row] = await sql.unsafe(`
      select count(*)::int as n from (
        (select * from "${foldSchema}".${table} except all select * from ${UNDISTURBED}.${table}) union all
        (select * from ${UNDISTURBED}.${table} except all select * from "${foldSchema}".${table})) d`);
    if (row?.n !== 0) faults.push(`${table}: ${row?.n} rows differ from an undisturbed fold`);
  }
  await sql.unsafe(`drop schema ${UNDISTURBED} cascade`);
  fold.start();
  return { rows, finalized, faults };
}

export async function finalizedOf(stack: Stack): Promise<number> {
  try {
    const foldSchema = await stack.foldSchema();
    const [meta] = await stack.sql.unsafe(`select finalized from "${foldSchema}".meta`);
    return Number(meta?.finalized ?? -1);
  } catch {
    return -1;
  }
}

export async function withConnection<T>(
  databaseUrl: string,
  use: (db: postgres.ReservedSql) => Promise<T>,
): Promise<T> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const db = await sql.reserve();
  try {
    return await use(db);
  } finally {
    db.release();
    await sql.end({ timeout: 1 });
  }
}

/** Folds the same facts into another schema in one go; returns how many rows that makes. */
async function foldUndisturbed({ databaseUrl, ponderSchema, sql }: Stack, upTo: number): Promise<number> {
  await withConnection(databaseUrl, async (db) => {
    const ponder = await readProgress(db, ponderSchema);
    if (!ponder) throw new Error("there are no facts to fold");
    const identity = {
      chainId: TRIAL_CHAIN_ID,
      firstBlock: 0,
      weth9: [trialTokens.weth],
      erc4626: [],
      ponderSchema,
      foldSchema: UNDISTURBED,
    };
    await db.unsafe(dropFoldDdl(UNDISTURBED));
    await createFold(db, identity, ponder);
    await stageFacts(db, { ponder: ponderSchema, fold: UNDISTURBED }, { after: -1, upTo });
    await db.unsafe("begin");
    await foldHoldings(db, UNDISTURBED);
    await db.unsafe("commit");
  });
  const counts = COMPARED.map((table) => `(select count(*) from ${UNDISTURBED}.${table})`);
  const [row] = await sql.unsafe(`select (${counts.join(" + ")})::int as n`);
  return Number(row?.n ?? 0);
}

/** Resolves when everything final is folded. */
export async function waitFolded(stack: Stack): Promise<void> {
  const { databaseUrl, ponderSchema, waitFor } = stack;
  await withConnection(databaseUrl, (db) =>
    waitFor("everything final folded", async () => {
      const ponder = await readProgress(db, ponderSchema);
      return ponder?.isReady === true && (await finalizedOf(stack)) >= ponder.foldableUpTo;
    }),
  );
}
