// Copies the changes of a range of final blocks out of Ponder's tables into a temporary table of ours. Final facts are
// immutable, so the slow part, folding them, can run later without holding any of Ponder's locks.
import type { ReservedSql } from "postgres";
import { ledgers } from "../core/ledgers/registry.ts";
import { factTables, withFacts } from "./facts-reader.ts";
import { quoted } from "./tables.ts";

/** Facts per batch: as large as the backlog allows, up to here. */
const BATCH_FACTS = 250_000;
/** Facts per locked read, small enough to end well within a second. */
const READ_FACTS = 50_000;

export interface StagedBatch {
  upTo: number;
  facts: number;
}

/** The last whole block such that (after, block] holds about `limit` facts; at least one block. */
async function cutAt(db: ReservedSql, ponderSchema: string, range: { after: number; upTo: number; limit: number }) {
  const schema = quoted(ponderSchema);
  const { after, upTo, limit } = range;
  const cuts = factTables.filter((table) => table !== "block").map((table) =>
    `(select block from ${schema}.${quoted(table)} where block > ${after} and block <= ${upTo} order by block offset ${limit} limit 1)`);
  const [row] = await db.unsafe(`select least(${cuts.join(", ")}) as block`);
  return row?.block == null ? upTo : Math.max(row.block - 1, after + 1);
}

/**
 * Fills temp table `staged(block, log_index, kind, key, account, delta)` with the changes of blocks in (after, upTo'],
 * where upTo' <= upTo is returned with the number of facts read. `key` and `account` are bytes.
 */
export async function stageFacts(
  db: ReservedSql,
  ponderSchema: string,
  range: { after: number; upTo: number },
): Promise<StagedBatch> {
  await db.unsafe(`create temp table if not exists staged (
    block int4 not null, log_index int4 not null, kind text not null, key bytea not null, account bytea not null, delta numeric not null)`);
  await db.unsafe("truncate staged");
  const schema = quoted(ponderSchema);
  let done = range.after;
  let facts = 0;
  while (done < range.upTo && facts < BATCH_FACTS) {
    const read = await withFacts(db, ponderSchema, async () => {
      const upTo = await cutAt(db, ponderSchema, { after: done, upTo: range.upTo, limit: READ_FACTS });
      const bounds = { after: String(done), upTo: String(upTo) };
      for (const ledger of ledgers) {
        await db.unsafe(`insert into staged
          select block, log_index, kind, decode(substr(key, 3), 'hex'), decode(substr(account, 3), 'hex'), delta
            from (${ledger.deltas(schema, bounds)}) d`);
      }
      const counts = factTables.map((table) => {
        const column = table === "block" ? "number" : "block";
        return `(select count(*) from ${schema}.${quoted(table)} where ${column} > ${done} and ${column} <= ${upTo})`;
      });
      const [row] = await db.unsafe(`select (${counts.join(" + ")})::int as facts`);
      return { upTo, facts: Number(row?.facts ?? 0) };
    });
    done = read.upTo;
    facts += read.facts;
  }
  await db.unsafe("analyze staged");
  return { upTo: done, facts };
}
