// Folds a batch of final facts in sets, all kinds of history together.
import type { Sql } from "postgres";
import { finalFacts } from "./fact-source.ts";
import { foldHoldings } from "./fold-holdings.ts";
import type { FoldIdentity } from "./fold-schema.ts";
import { copyRegistries } from "./recent-facts.ts";
import type { FoldRange, StepSequence } from "./sequential-step.ts";
import { stageFacts } from "./stage-facts.ts";
import { quoted } from "./tables.ts";

export interface Batch {
  identity: Pick<FoldIdentity, "ponderSchema" | "foldSchema">;
  steps: StepSequence;
  range: FoldRange;
}

/** Folds one batch of final facts; all rows, quarantine and heads commit together. */
export async function foldBatch(db: Sql, { identity, steps, range }: Batch) {
  const schemas = { ponder: identity.ponderSchema, fold: identity.foldSchema };
  const s = quoted(identity.foldSchema);
  const facts = finalFacts(db, schemas);
  const batch = await stageFacts(db, schemas, range);
  await steps.take({ after: range.after, upTo: batch.upTo }, facts);
  // whoever was answered must find the blocks again after a crash
  await db.unsafe("begin; set local synchronous_commit = on");
  try {
    // Locks the meta row: a fold that lost its schema or its turn fails here, before writing anything.
    const [meta] = await db.unsafe(`select finalized, head from ${s}.meta for update`);
    if (meta?.finalized !== range.after || meta?.head !== range.after)
      throw new Error(`the fold stood at ${range.after} and stands at ${meta?.finalized} and ${meta?.head} now`);
    await copyRegistries(db, schemas, { after: range.after, upTo: batch.upTo });
    const folded = await foldHoldings(db, identity.foldSchema);
    const stepRows = await steps.write(facts);
    await db.unsafe(
      `update ${s}.meta set finalized = $1, head = $1, folded_facts = folded_facts + $2, updated_at = now()`,
      [batch.upTo, batch.facts],
    );
    await db.unsafe("commit");
    steps.keep();
    return { ...batch, ...folded, stepRows };
  } catch (error) {
    await db.unsafe("rollback");
    steps.forget();
    throw error;
  }
}
