// The made-up history in the product's own tables: their DDL, their indexes, vacuumed as after a first load.
import type { Sql } from "postgres";
import { durationClassSql } from "../../core/history/duration-class.ts";
import { createFold, dropFoldDdl, ensureDeployment } from "../../fold/fold-schema.ts";
import { quoted } from "../../fold/tables.ts";
import { finishLoad } from "../../fold/upkeep/index-load.ts";
import { tokenAddress } from "./generate.ts";

export interface FoldPlace {
  ponderSchema: string;
  foldSchema: string;
  chainId: number;
  factOid: string;
}

/** The build in `_ponder_meta`; a fold made from another build would be built again. */
export const BUILD = "made-up";

/**
 * Writes table `changes` (see generate.ts) as if it had been folded up to `head`; assets get their tokens' numbers.
 * Rows lie in the order in which a fold writes them. The supply ledger is left out: nothing here reads it.
 * `db` must have one connection.
 */
export async function writeFold(
  db: Sql,
  place: FoldPlace,
  { changes, head }: { changes: string; head: number },
): Promise<void> {
  const { chainId, ponderSchema, foldSchema, factOid } = place;
  const s = quoted(foldSchema);
  await ensureDeployment(db);
  const identity = { chainId, ponderSchema, foldSchema, firstBlock: 0, weth9: [], erc4626: [] };
  await db.unsafe(dropFoldDdl(foldSchema));
  await createFold(db, identity, { buildId: BUILD, factOid });
  await db.unsafe("set work_mem = '512MB'");
  await db.unsafe(`
    insert into ${s}.asset (id, kind, key, first_block, first_log)
    select token, 'erc20', ${tokenAddress("token")}, min(block), 0 from ${changes} group by token`);
  await db.unsafe(`
    insert into ${s}.holding_interval (asset, account, from_block, to_block, lvl, amount)
    select token, account, block, next_block, ${durationClassSql("next_block - block")}, balance
      from ${changes} where balance > 0 and next_block is not null order by next_block, token, account`);
  await db.unsafe(`
    insert into ${s}.holding_current (asset, account, since, amount)
    select token, account, block, balance from ${changes} where balance > 0 and next_block is null order by block`);
  await db.unsafe(`insert into ${s}.holder (account, asset) select distinct account, token from ${changes}`);
  await db.unsafe(`
    update ${s}.meta set finalized = ${head}, head = ${head}, folded_facts = (select count(*) from ${changes})`);
  await db.unsafe("reset work_mem");
  await finishLoad([db], { foldSchema, stepTables: [] });
}
