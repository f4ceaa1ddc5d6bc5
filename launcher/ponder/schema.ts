// What Ponder's tables need before Ponder starts on them again (docs/operations.md). Only while no Ponder holds them.
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { hasPonderSessions } from "../../fold/serving/prune.ts";
import { quoted } from "../../fold/tables.ts";

const SESSIONS_GONE_MS = 10_000;

/**
 * Frees a stale lock and rewinds checkpoints, if the schema exists and no Ponder is connected for it.
 * Returns what was done, for the log.
 */
export async function prepareSchema(
  sql: Sql,
  schema: string,
  patienceMs: number = SESSIONS_GONE_MS,
): Promise<{ isNew: boolean; freed: boolean; rewoundTo: number | undefined }> {
  if (!(await hasTable(sql, schema, "_ponder_meta"))) return { isNew: true, freed: false, rewoundTo: undefined };
  // Sessions of a killed Ponder end when their statement does. Someone else's live Ponder keeps its sessions and its lock.
  for (const deadline = performance.now() + patienceMs; await hasPonderSessions(sql, schema); await sleep(100))
    if (performance.now() > deadline) return { isNew: false, freed: false, rewoundTo: undefined };
  const freed = await clearLock(sql, schema);
  return { isNew: false, freed, rewoundTo: await rewindCheckpoints(sql, schema) };
}

/** Ponder leaves `is_locked` set, even after SIGTERM, and would wait 25 seconds for it to go stale. */
export async function clearLock(sql: Sql, schema: string): Promise<boolean> {
  const freed = await sql`
    update ${sql(schema)}._ponder_meta set value = jsonb_set(value, '{is_locked}', '0')
    where key = 'app' and value->>'is_locked' = '1' returning 1`;
  return freed.length > 0;
}

/**
 * Rewinds the three checkpoints to the last block that has facts, when the backfill was not over (`is_ready` 0).
 * Ponder 0.17.7 can commit a checkpoint one block ahead of its rows at the end of a backfill; killed there, it would
 * never write that block. Harmless when nothing was lost: checkpoints are never moved forward.
 * Returns the block they were rewound to, `undefined` when none was ahead, -1 when there are no facts at all.
 */
export async function rewindCheckpoints(sql: Sql, schema: string): Promise<number | undefined> {
  if (!(await hasTable(sql, schema, "_ponder_checkpoint")) || !(await hasTable(sql, schema, "block"))) return undefined;
  const [meta, block, checkpoint] = ["_ponder_meta", "block", "_ponder_checkpoint"].map(
    (table) => `${quoted(schema)}.${table}`,
  );
  // One statement, not a transaction of postgres.js: where the connection ends within one, 3.4.9 throws an error that nobody can catch
  // (porsager/postgres#1208). Checkpoints without any facts are deleted: without them, Ponder begins at the first block.
  const [rewound] = await sql.unsafe(`
    with unfinished as (select from ${meta} where key = 'app' and value->>'is_ready' = '0'),
         last as (select number, timestamp from ${block} where exists (select from unfinished) order by number desc limit 1),
         gone as (
           delete from ${checkpoint} where exists (select from unfinished) and not exists (select from last) returning -1 as block),
         target as (
           select c.chain_id, l.number, lpad(l.timestamp::text, 10, '0') || lpad(c.chain_id::text, 16, '0')
                    || lpad(l.number::text, 16, '0') || repeat('9', 33) as at
             from ${checkpoint} c, last l),
         rewound as (
           update ${checkpoint} c set
             safe_checkpoint = least(c.safe_checkpoint collate "C", t.at), latest_checkpoint = least(c.latest_checkpoint collate "C", t.at),
             finalized_checkpoint = least(c.finalized_checkpoint collate "C", t.at)
             from target t where t.chain_id = c.chain_id
              and greatest(c.safe_checkpoint collate "C", c.latest_checkpoint, c.finalized_checkpoint) > t.at
           returning t.number as block)
    select block from gone union all select block from rewound`);
  return rewound === undefined ? undefined : Number(rewound.block);
}

/** What {@link rewindCheckpoints} did, for people. */
export const rewoundText = (block: number): string =>
  block < 0
    ? "Ponder's checkpoints had no rows: it begins at the first block again"
    : `Ponder's checkpoints were ahead of its rows: rewound to block ${block}`;

async function hasTable(sql: Sql, schema: string, table: string): Promise<boolean> {
  const [row] = await sql`select to_regclass(${`${quoted(schema)}.${table}`}) is not null as there`;
  return row?.there === true;
}
