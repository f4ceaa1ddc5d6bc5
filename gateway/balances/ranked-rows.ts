// Rows with a rank, largest first and then by account: one page of them, or all as they are taken.

import { ROWS_PER_BATCH } from "../database/batches.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Statement } from "../history/holdings-at.ts";
import type { Address } from "../parameters.ts";

/** Columns beside account and rank travel as text under their own names. */
export type RankedRow<Column extends string> = { account: Address; rank: string } & Record<Column, string>;

interface RankedPage<Column extends string> {
  rows: RankedRow<Column>[];
  total: number;
}

const shown = (relation: string, columns: readonly string[]): string =>
  [
    `'0x' || encode(${relation}.account, 'hex') as account`,
    ...["rank", ...columns].map((column) => `${relation}.${column}::text as ${column}`),
  ].join(", ");

/** Where a page ended; both parts come from {@link isRankedPlace}. */
export type RankedPlace = readonly [rank: string, account: string];

export const isRankedPlace = (at: readonly (string | number)[]): boolean =>
  at.length === 2 && /^-?\d+$/.test(String(at[0])) && /^0x[0-9a-f]{40}$/.test(String(at[1]));

/** Up to `limit` rows behind `after`, and how many there are in all. `columns` are names of the statement's columns. */
export async function rankedPage<Column extends string>(
  snapshot: Snapshot,
  { text, parameters }: Statement,
  page: { columns: readonly Column[]; after: RankedPlace | undefined; limit: number },
): Promise<RankedPage<Column>> {
  const { columns, after, limit } = page;
  const behind = after
    ? `where rank < ${after[0]} or (rank = ${after[0]} and account > decode('${after[1].slice(2)}', 'hex'))`
    : "";
  const rows = await snapshot.rows<{ total: number } & (RankedRow<Column> | { account: null })>(
    `with ranked as materialized (select * from (${text}) r)
     select n.total, ${shown("p", columns)}
       from (select count(*)::int as total from ranked) n
       left join (select * from ranked ${behind} order by rank desc, account limit ${limit}) p on true
      order by p.rank desc, p.account`,
    parameters,
  );
  return {
    rows: rows.flatMap((row) => (row.account === null ? [] : [row as RankedRow<Column>])),
    total: rows[0]?.total ?? 0,
  };
}

/** All rows, fetched as they are taken. */
export const rankedBatches = <Column extends string>(
  snapshot: Snapshot,
  { text, parameters }: Statement,
  columns: readonly Column[],
): AsyncIterator<RankedRow<Column>[]> =>
  snapshot.batches<RankedRow<Column>>(
    `select ${shown("r", columns)} from (${text}) r order by r.rank desc, r.account`,
    parameters,
    ROWS_PER_BATCH,
  );
