// What blocks that are not final have changed, as listed by their versions.
import type { BlocksAfter } from "../../core/blocks-after.ts";
import type { History } from "../../core/history/history.ts";
import type { ReadScope } from "../database/read-scope.ts";

interface VersionText {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** SELECT list over relation `row`, which has key, block and values. */
  select: (row: string) => string;
}

/** SELECT text of the versions of blocks after $1, up to $2; those are among them by which something is nothing any more. */
export const recentVersions = (history: History, { fold, select }: VersionText): string =>
  `select ${select("r")} from ${fold}.${history.name}_recent r where r.block > $1::int4 and r.block <= $2::int4`;

/**
 * The rows of `text`, made of {@link recentVersions}, in order of its column `block`. Undefined when blocks after `after` are
 * final by now: some of their versions lie in other tables.
 */
export async function readRecent<Row extends { block: number }>(
  { fold, prepared }: Pick<ReadScope, "fold" | "prepared">,
  text: string,
  { after, upTo }: BlocksAfter,
): Promise<Row[] | undefined> {
  const rows = await prepared<(Row | { block: null }) & { finalized: number }>(
    `select m.finalized, v.* from ${fold}.meta m left join (${text}) v on true order by v.block`,
    [String(after), String(upTo)],
  );
  if (rows.some(({ finalized }) => finalized > after)) return undefined;
  return rows.flatMap((row) => (row.block === null ? [] : [row as Row]));
}
