// Indexes that gateways have left: dropped once nobody reads or writes them any more.
import type { Sql } from "postgres";
import { isLockLost } from "../../database/error-codes.ts";
import { inTransaction } from "../../database/in-transaction.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { dropFoldDdl, type FoldIdentity } from "../fold-schema.ts";
import { quoted } from "../tables.ts";
import { isWritten } from "./takeover.ts";

/** An index that is still being read is dropped another time, so that nobody waits behind our lock. */
const LOCK_TIMEOUT = "1s";
/** Requests that read the old pointer are done by then. */
const SUPERSEDED_GRACE_SECONDS = 60;

/**
 * Drops older indexes of this chain that nobody writes: folds of the same facts a minute after gateways have left them, facts
 * with what was folded from them after `keepOldSeconds` (undefined: never). Returns the schemas that are gone.
 */
export async function dropSuperseded(
  db: Sql,
  identity: FoldIdentity,
  keepOldSeconds: number | undefined,
): Promise<string[]> {
  const dropped: string[] = [];
  for (const { ponder, fold } of await readSuperseded(db, identity, keepOldSeconds)) {
    if (await isWritten(db, fold)) continue;
    if (ponder === identity.ponderSchema) {
      if (await drop(db, fold)) dropped.push(fold);
    } else if (!(await hasPonderSessions(db, ponder)) && (await drop(db, fold)) && (await drop(db, ponder))) {
      dropped.push(fold, ponder);
    } else continue;
    await db`delete from tidemark.build where chain_id = ${identity.chainId} and fold_schema = ${fold}`;
    await db`delete from tidemark.pruned where fold = ${quoted(fold)}`;
    await db`delete from tidemark.part where chain_id = ${identity.chainId} and (schema = ${fold} or schema = ${ponder}
               and not exists (select from tidemark.build b where b.ponder_schema = ${ponder}))`;
  }
  return dropped;
}

/** Indexes that were made before the one that is read, and left long enough ago. */
async function readSuperseded(
  db: Sql,
  { chainId, foldSchema, ponderSchema }: FoldIdentity,
  keepOldSeconds: number | undefined,
): Promise<Schemas[]> {
  const rows = await db<Schemas[]>`
    select old.ponder_schema as ponder, old.fold_schema as fold
      from tidemark.live l
      join tidemark.build mine on mine.chain_id = l.chain_id and mine.fold_schema = l.fold_schema
      join tidemark.build old on old.chain_id = l.chain_id and old.fold_schema <> l.fold_schema and old.since < mine.since
     where l.chain_id = ${chainId} and l.fold_schema = ${foldSchema} and l.ponder_schema = ${ponderSchema}
       and now() - l.since > make_interval(secs => case
             when old.ponder_schema = l.ponder_schema then ${SUPERSEDED_GRACE_SECONDS}::float8
             else ${keepOldSeconds ?? null}::float8 end)
     order by old.since`;
  return [...rows];
}

/** Ponder names its sessions `<schema>_internal`, `_user` and `_readonly`. */
export async function hasPonderSessions(db: Sql, ponderSchema: string): Promise<boolean> {
  const names = ["internal", "user", "readonly"].map((pool) => `${ponderSchema}_${pool}`);
  const found = await db`select 1 from pg_stat_activity where application_name = any(${names}) limit 1`;
  return found.length > 0;
}

/** Resolves to whether it is gone. */
async function drop(db: Sql, schema: string): Promise<boolean> {
  const begin = `begin; set local lock_timeout = '${LOCK_TIMEOUT}'`;
  try {
    await inTransaction(db, begin, () => db.unsafe(dropFoldDdl(schema)));
    return true;
  } catch (error) {
    if (isLockLost(error)) return false;
    throw error;
  }
}
