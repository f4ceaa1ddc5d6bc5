// The revision of an index. Code that changes anything besides blocks that shapes answers raises it in the same transaction, so that
// answers made before are not given again. Such changes are: metadata and settings read from the chain later, what broke, what
// `verify` has flagged, where the chain left our final blocks, and that gateways read another index now.
import type { Sql } from "postgres";
import { quoted } from "./tables.ts";

/** An UPDATE that can be part of another statement. */
export const raiseText = (s: string): string => `update ${s}.meta set revision = revision + 1`;

/** `s` is the fold's quoted schema. */
export async function raiseRevision(db: Pick<Sql, "unsafe">, s: string): Promise<void> {
  await db.unsafe(raiseText(s));
}

/** Runs `change`, one data-modifying statement, and raises the revision of the index that gateways read of this chain until now. */
export async function changeLive(
  db: Sql,
  chainId: number,
  { change, parameters }: { change: string; parameters: (string | number | Buffer)[] },
): Promise<void> {
  const [live] = await db`
    select fold_schema from tidemark.live
     where chain_id = ${chainId} and exists (
       select from pg_attribute
        where attrelid = to_regclass(quote_ident(fold_schema) || '.meta') and attname = 'revision')`;
  const text = live ? `with changed as (${change} returning 1) ${raiseText(quoted(String(live.fold_schema)))}` : change;
  await db.unsafe(text, parameters);
}
