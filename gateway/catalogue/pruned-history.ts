// What an operator has pruned from PostgreSQL, and what of it is loaded from the history lake at the moment.
import { literal } from "../../core/sql-literal.ts";
import { isoText } from "../database/state.ts";

export interface PrunedHistory {
  /** States at the ends of blocks below it are answered from the lake. */
  below: number;
  /** States at the ends of these blocks can be answered at once, in order of blocks. */
  loaded: { first: number; last: number; rows: number; since: string }[];
}

export interface PrunedRow {
  first: number;
  last: number;
  rows: number;
  /** When it was loaded again; null: it is not. */
  since: string | null;
}

/** SELECT text of {@link PrunedRow}s, in order of blocks; `fold` is the quoted name of the fold's schema. */
export const prunedText = (fold: string): string => `
  select greatest(p.first, 0) as first, p.last, p.rows::float8 as rows, ${isoText("p.loaded_at")} as since
    from tidemark.pruned p where p.fold = ${literal(fold)} order by p.first`;

/** Null where nothing is pruned. */
export function prunedOf(ranges: readonly PrunedRow[]): PrunedHistory | null {
  const newest = ranges.at(-1);
  if (newest === undefined) return null;
  const loaded = ranges.flatMap(({ since, ...range }) => (since === null ? [] : [{ ...range, since }]));
  return { below: newest.last + 1, loaded };
}
