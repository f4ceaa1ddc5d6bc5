// Which farms are still to be read, at which blocks.
import type { Sql } from "postgres";
import type { Address } from "viem";
import { LAST_BLOCK } from "../../core/blocks-after.ts";
import { farmSettingsNeededText } from "../../core/farm/settings-needed.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { withFacts } from "../facts/facts-reader.ts";
import type { ViewPlace } from "../node/views-at-block.ts";
import { quoted } from "../tables.ts";

export interface UnreadFarm {
  block: number;
  farm: Address;
  /** Missing only while the block's own row is. */
  hash: string | null;
}

/** Not read on this branch of the chain and not resting after a failure, in order of blocks. */
export function unreadAfter(
  db: Sql,
  schemas: Schemas,
  { after, limit }: { after: number; limit: number },
): Promise<UnreadFarm[]> {
  const [p, s] = [quoted(schemas.ponder), quoted(schemas.fold)];
  return withFacts(db, schemas.ponder, () =>
    db.unsafe<UnreadFarm[]>(`
      select n.block, n.farm, b.hash
        from (${farmSettingsNeededText(p, { after, upTo: LAST_BLOCK })}) n
        left join ${p}.block b on b.number = n.block
        left join ${s}.farm_settings r on r.address = decode(substr(n.farm, 3), 'hex') and r.block = n.block
             and r.block_hash = b.hash
        left join ${s}.farm_settings_retry t on t.address = decode(substr(n.farm, 3), 'hex') and t.block_hash = b.hash
       where r.address is null
         and (t.next_try is null or t.next_try <= now())
       order by n.block, n.farm limit ${limit}`),
  );
}

/** Older ones that failed before. */
export function failedUpTo(
  db: Sql,
  schemas: Schemas,
  { upTo, limit }: { upTo: number; limit: number },
): Promise<UnreadFarm[]> {
  return withFacts(db, schemas.ponder, () =>
    db.unsafe<UnreadFarm[]>(`
      select t.block, '0x' || encode(t.address, 'hex') as farm, b.hash
        from ${quoted(schemas.fold)}.farm_settings_retry t
        join ${quoted(schemas.ponder)}.block b on b.number = t.block and b.hash = t.block_hash
       where t.block <= ${upTo} and t.next_try <= now() order by t.next_try limit ${limit}`),
  );
}

/** The last block at whose end, by the facts, the farm is still as it was at the end of `place`. */
export function lastUnchanged(db: Sql, ponderSchema: string, place: ViewPlace): Promise<ViewPlace> {
  const p = quoted(ponderSchema);
  return withFacts(db, ponderSchema, async () => {
    const [row] = await db.unsafe<{ number: number; hash: string }[]>(
      `select number, hash from ${p}.block where number >= $1 and number < coalesce(
         (select min(n.block) from (${farmSettingsNeededText(p, { after: place.block, upTo: LAST_BLOCK })}) n
           where n.farm = $2), ${LAST_BLOCK}) order by number desc limit 1`,
      [place.block, place.contract],
    );
    return row ? { ...place, block: row.number, blockHash: row.hash } : place;
  });
}
