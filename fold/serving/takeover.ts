// Which index gateways read when there are several: the newest one that is complete. Builds run side by side while a
// new one catches up, and nothing that was shown of the old one may be missing in the new one at the moment of the switch.
import type { Sql } from "postgres";
import { isLockLost } from "../../database/error-codes.ts";
import { inTransaction } from "../../database/in-transaction.ts";
import type { Schemas } from "../facts/fact-source.ts";
import type { FoldIdentity } from "../fold-schema.ts";
import { changeLive } from "../revision.ts";
import { quoted } from "../tables.ts";

/** The old index's writer waits for us while heads are compared: give up before anybody notices. */
const LOCK_TIMEOUT = "400ms";
/** An old index that is more blocks than this above the chain: the chain was cut back, and nobody will write those blocks. */
const CUT_BACK_BLOCKS = 10;

/** Held by the writer of a fold for as long as its session lives. */
export const writerLock = (foldSchema: string): string => `hashtext('tidemark ${foldSchema.replaceAll("'", "''")}')`;

/** What gateways read now. */
interface Live extends Schemas {
  /** Whether the index that asks was made later. */
  isOlder: boolean;
}

/**
 * Points gateways at this index, which has caught up, when it is newer than the one they read or nobody writes that one
 * any more, and when it has every block that the other one shows. Returns whether gateways read it now.
 */
export async function takeOver(db: Sql, identity: FoldIdentity): Promise<boolean> {
  const live = await readLive(db, identity);
  if (live?.fold === identity.foldSchema && live.ponder === identity.ponderSchema) return true;
  if (live && !live.isOlder && (await isWritten(db, live.fold))) return false;
  try {
    return await inTransaction(db, `begin; set local lock_timeout = '${LOCK_TIMEOUT}'`, async () => {
      const mayFollow = !live || (await hasAllOf(db, live.fold, identity));
      if (mayFollow)
        await changeLive(db, identity.chainId, {
          change: `insert into tidemark.live (chain_id, ponder_schema, fold_schema) values ($1, $2, $3)
            on conflict (chain_id) do update set ponder_schema = $2, fold_schema = $3, since = clock_timestamp()`,
          parameters: [identity.chainId, identity.ponderSchema, identity.foldSchema],
        });
      return mayFollow;
    });
  } catch (error) {
    if (isLockLost(error)) return false;
    throw error;
  }
}

async function readLive(db: Sql, { chainId, foldSchema }: FoldIdentity): Promise<Live | undefined> {
  const [row] = await db`
    select l.ponder_schema as ponder, l.fold_schema as fold,
           coalesce(mine.since > theirs.since, theirs.since is null) as is_older
      from tidemark.live l
      left join tidemark.build theirs on theirs.chain_id = l.chain_id and theirs.fold_schema = l.fold_schema
      left join tidemark.build mine on mine.chain_id = l.chain_id and mine.fold_schema = ${foldSchema}
     where l.chain_id = ${chainId}`;
  return row && { ponder: String(row.ponder), fold: String(row.fold), isOlder: row.is_older === true };
}

/** Whether a process holds the fold's lock. */
export async function isWritten(db: Sql, foldSchema: string): Promise<boolean> {
  const [row] = await db.unsafe(`select pg_try_advisory_xact_lock_shared(${writerLock(foldSchema)}) as is_free`);
  return row?.is_free !== true;
}

/**
 * Whether nothing that the old fold shows is missing in this one: its head is one of our blocks, or a block that our own facts
 * replace. Its head cannot move between this and the end of the transaction.
 */
async function hasAllOf(
  db: Sql,
  oldFold: string,
  { foldSchema, ponderSchema, chainId }: FoldIdentity,
): Promise<boolean> {
  const old = quoted(oldFold);
  const [there] = await db`select to_regclass(${`${old}.block`}) is not null as there`;
  if (!there?.there) return true;
  await db.unsafe(`select from ${old}.meta for no key update`);
  const ours = `${quoted(foldSchema)}.block`;
  const [head] = await db.unsafe(
    `select theirs.number as number,
            exists (select from ${ours} b where b.number = theirs.number and b.hash = theirs.hash) as is_here,
            exists (select from ${quoted(ponderSchema)}.block b where b.number = theirs.number and b.hash <> theirs.hash) as is_replaced,
            (select max(number) from ${ours}) as highest,
            (select chain_head from tidemark.chain_head where chain_id = $1) as chain
       from ${old}.block theirs order by theirs.number desc limit 1`,
    [chainId],
  );
  if (!head || head.is_here || head.is_replaced) return true;
  const isCutBack = head.chain !== null && head.number - head.chain > CUT_BACK_BLOCKS;
  return isCutBack && head.highest >= head.chain;
}
