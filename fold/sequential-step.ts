// What is folded beside holdings, its rows committed with theirs. Where the next value of a state depends on the last, like a
// pool's, a step takes the facts one by one, in event order, and keeps its state in memory from batch to batch.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../core/blocks-after.ts";
import { inTransaction } from "../database/in-transaction.ts";
import type { FactSource } from "./facts/fact-source.ts";
import { quoted } from "./tables.ts";

export interface SequentialStep {
  /** The protocol's name. */
  readonly name: string;
  /** Its tables that grow with the facts. */
  readonly tables: readonly string[];
  /** The fact tables that it takes facts from: it ignores blocks without rows in them. */
  readonly facts: readonly string[];
  /** Puts the state in memory back to what is committed. */
  open(): Promise<void>;
  /** The last block of `range` that it can fold now; `reason`: what all steps wait for when that is not the whole range. */
  readyUpTo(range: BlocksAfter): Promise<{ upTo: number; reason?: string }>;
  /** Copies the facts of `range` in sets, on the fold's own connection. Final ones outside any transaction, under locks that never last long. */
  stage?(range: BlocksAfter, source: FactSource): Promise<void>;
  /** Takes the facts of `range` one by one, reading on the source's connection alone: the fold's own may be writing. Locks as for `stage`. */
  take?(range: BlocksAfter, source: FactSource): Promise<void>;
  /** Writes what the facts taken have changed, inside the batch's transaction; returns the number of rows. */
  write(): Promise<number>;
  /** Goes back to the end of `block`, inside a transaction, before the recent versions after it are deleted. */
  rewind(block: number): Promise<void>;
  /** Continues what waited on its own, in a separate transaction; after `caught up` the state in memory is no longer valid. */
  catchUp?(): Promise<CaughtUp>;
}

export type CaughtUp = "nothing to do" | "more to do" | "caught up";

/** The steps of one fold, which move together. */
export interface StepSequence {
  readonly tables: readonly string[];
  /** Forgets the state in memory, as the tables have changed. It is read back before the next facts. */
  forget(): void;
  /** How far all steps can go; what one of them waits for shows in table `waiting`. */
  readyUpTo(range: BlocksAfter): Promise<number>;
  /** Called before `take`, for the same facts. `touched`: the tables that have facts in `range`; undefined: any. */
  stage(range: BlocksAfter, source: FactSource, touched?: ReadonlySet<string>): Promise<void>;
  take(range: BlocksAfter, source: FactSource, touched?: ReadonlySet<string>): Promise<void>;
  write(): Promise<number>;
  rewind(block: number): Promise<void>;
  /** Continues a little with what waited on its own, between two batches; resolves to whether there is more to do. */
  catchUp(): Promise<boolean>;
  /** The batch is committed: what is in memory is what is written. Without this the next batch reads it back. */
  keep(): void;
}

/** Answers may be given from what is committed at once: it must survive a crash. */
export const BEGIN_DURABLY = "begin; set local synchronous_commit = on";

/** Runs `work`, in which `steps` take, write or rewind, as one transaction; where it fails, they forget. `settings`: SQL at its begin. */
export async function commitWith<T>(
  db: Sql,
  steps: StepSequence,
  { settings = "", work }: { settings?: string; work: () => Promise<T> },
): Promise<T> {
  try {
    const result = await inTransaction(db, `${BEGIN_DURABLY}; ${settings}`, work);
    steps.keep();
    return result;
  } catch (error) {
    steps.forget();
    throw error;
  }
}

export function sequence(db: Sql, foldSchema: string, steps: readonly SequentialStep[]): StepSequence {
  let isOpen = false;
  let isRewound = false;
  const shown = new Map<string, string | undefined>();

  const show = async ({ name }: SequentialStep, wait: { block: number; reason: string } | undefined) => {
    const text = wait && `${wait.block} ${wait.reason}`;
    if (shown.has(name) && shown.get(name) === text) return;
    await db.unsafe(
      wait
        ? `insert into ${quoted(foldSchema)}.waiting (step, block, reason) values ($1, $2, $3) on conflict (step) do update
             set block = excluded.block, reason = excluded.reason,
                 since = case when waiting.block = excluded.block then waiting.since else now() end`
        : `delete from ${quoted(foldSchema)}.waiting where step = $1`,
      wait ? [name, wait.block, wait.reason] : [name],
    );
    shown.set(name, text);
  };

  const open = async () => {
    // a rewind is part of the batch that follows it
    if (!isOpen && !isRewound) for (const step of steps) await step.open();
    isRewound = false;
  };

  const touchedBy = (touched?: ReadonlySet<string>) =>
    steps.filter(({ facts }) => touched === undefined || facts.some((table) => touched.has(table)));

  return {
    tables: steps.flatMap((step) => step.tables),
    forget() {
      isOpen = false;
      isRewound = false;
      shown.clear();
    },
    async readyUpTo(range) {
      let upTo = range.upTo;
      for (const step of steps) {
        const ready = await step.readyUpTo(range);
        upTo = Math.min(upTo, ready.upTo);
        const { reason } = ready;
        await show(step, reason === undefined ? undefined : { block: ready.upTo + 1, reason });
      }
      return upTo;
    },
    async stage(range, source, touched) {
      await open();
      // from here until the batch is committed, what is in memory is ahead of what is written
      isOpen = false;
      for (const step of touchedBy(touched)) await step.stage?.(range, source);
    },
    async take(range, source, touched) {
      for (const step of touchedBy(touched)) await step.take?.(range, source);
    },
    async write() {
      let rows = 0;
      for (const step of steps) rows += await step.write();
      return rows;
    },
    async rewind(block) {
      await open();
      isOpen = false;
      for (const step of steps) await step.rewind(block);
      isRewound = true;
    },
    async catchUp() {
      let isMore = false;
      for (const step of steps) {
        const outcome = (await step.catchUp?.()) ?? "nothing to do";
        if (outcome === "caught up" && isOpen) {
          isOpen = false;
          await step.open();
          isOpen = true;
        }
        isMore ||= outcome !== "nothing to do";
      }
      return isMore;
    },
    keep() {
      isOpen = true;
      isRewound = false;
    },
  };
}
