// Folds a batch of final facts in sets, all kinds of history together.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../core/blocks-after.ts";
import { finalFacts, type Schemas } from "./facts/fact-source.ts";
import { copyRegistries } from "./facts/recent-facts.ts";
import { nextBatch, stageFacts } from "./facts/stage-facts.ts";
import type { FoldIdentity } from "./fold-schema.ts";
import { foldHoldings } from "./holdings/fold-holdings.ts";
import { commitWith, type StepSequence } from "./sequential-step.ts";
import { quoted } from "./tables.ts";

export interface Batch {
  identity: Pick<FoldIdentity, "ponderSchema" | "foldSchema">;
  steps: StepSequence;
  range: BlocksAfter;
  /** Another connection, on which steps read facts while the first one folds holdings. */
  beside?: Sql | undefined;
}

/** Folds one batch of final facts; all rows, quarantine and heads commit together. */
export async function foldBatch(db: Sql, { identity, steps, range, beside }: Batch) {
  const schemas = { ponder: identity.ponderSchema, fold: identity.foldSchema };
  const { upTo, touched } = await nextBatch(db, schemas.ponder, range);
  const blocks = { after: range.after, upTo };
  await steps.stage(blocks, finalFacts(db, schemas), touched);
  const taken = steps.take(blocks, finalFacts(beside ?? db, schemas), touched);
  taken.catch(() => {}); // handled where it is awaited
  try {
    if (!beside) await taken;
    const facts = await stageFacts(db, schemas, { ...blocks, touched });
    return { upTo, facts, ...(await writeBatch(db, { schemas, steps, blocks, touched, facts, taken })) };
  } finally {
    await Promise.allSettled([taken]);
  }
}

/** In one transaction. `taken`: steps have taken the facts of `blocks`, of which there are `facts`. */
async function writeBatch(
  db: Sql,
  batch: {
    schemas: Schemas;
    steps: StepSequence;
    blocks: BlocksAfter;
    /** The tables that have facts in `blocks`. */
    touched: ReadonlySet<string>;
    facts: number;
    taken: Promise<void>;
  },
) {
  const { schemas, steps, blocks, touched, facts, taken } = batch;
  const s = quoted(schemas.fold);
  const work = async () => {
    // Locks the meta row: a fold that lost its schema or its turn fails here, before writing anything.
    const [meta] = await db.unsafe(`select finalized, head from ${s}.meta for update`);
    if (meta?.finalized !== blocks.after || meta?.head !== blocks.after)
      throw new Error(`the fold stood at ${blocks.after} and stands at ${meta?.finalized} and ${meta?.head} now`);
    const folded = await foldHoldings(db, schemas.fold);
    await taken;
    // not earlier: Ponder's DDL would wait for this transaction, and the steps' reads for the DDL
    await copyRegistries(db, schemas, { ...blocks, touched });
    const stepRows = await steps.write();
    await db.unsafe(
      `update ${s}.meta set finalized = $1, head = $1, folded_facts = folded_facts + $2, updated_at = now()`,
      [blocks.upTo, facts],
    );
    return { ...folded, stepRows };
  };
  return commitWith(db, steps, { work });
}
