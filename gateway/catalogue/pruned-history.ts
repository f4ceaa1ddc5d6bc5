// What an operator has pruned from PostgreSQL, and what of it is loaded from the history lake at the moment.
import type { ReadScope } from "../database/read-scope.ts";
import { isoText } from "../database/state.ts";

export interface PrunedHistory {
  /** States at the ends of blocks below it are answered from the lake. */
  below: number;
  /** States at the ends of these blocks can be told at once, in order of blocks. */
  loaded: { first: number; last: number; rows: number; since: string }[];
}

/** $1 the fold's schema, quoted. */
const PRUNED_TEXT = `
  select p.first, p.last, p.rows::float8 as rows, ${isoText("p.loaded_at")} as since
    from tidemark.pruned p where p.fold = $1 order by p.first`;

/** Null where nothing is pruned. */
export async function readPrunedHistory({
  prepared,
  schemas,
}: Pick<ReadScope, "prepared" | "schemas">): Promise<PrunedHistory | null> {
  const ranges = await prepared<{ first: number; last: number; rows: number; since: string | null }>(PRUNED_TEXT, [
    schemas.fold,
  ]);
  const newest = ranges.at(-1);
  if (newest === undefined) return null;
  const loaded = ranges.flatMap(({ since, ...range }) => (since === null ? [] : [{ ...range, since }]));
  return { below: newest.last + 1, loaded };
}
