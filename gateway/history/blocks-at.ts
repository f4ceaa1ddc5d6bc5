// From times to blocks.
import type { ReadScope } from "../database/read-scope.ts";

/** What reads the fold's tables: a snapshot is one. */
type TimesReader = Pick<ReadScope, "rows" | "fold" | "state">;

/** Number of the last block at or before `timestamp` that can be answered; undefined when none is. */
export async function blockAt(reader: TimesReader, timestamp: number): Promise<number | undefined> {
  return (await blocksAt(reader, [timestamp]))[0];
}

/** The same for each of `timestamps`, found by bisection over block numbers, in one statement. */
export async function blocksAt(reader: TimesReader, timestamps: readonly number[]): Promise<(number | undefined)[]> {
  if (timestamps.length === 0) return [];
  const table = `${reader.fold}.block`;
  const times = timestamps.map((timestamp, place) => `(${place}, ${timestamp}::int8)`);
  const rows = await reader.rows<{ place: number; block: number | null }>(`
    with recursive search(place, at, low, high) as (
      select place, at, (select min(number) from ${table}), (select max(number) from ${table} where number <= ${reader.state.lastSynced ?? -1})
        from (values ${times.join(", ")}) times(place, at)
      union all
      select place, at, case when mid.timestamp <= at then middle else low end,
             case when mid.timestamp <= at then high else middle - 1 end
        from search, lateral (select low + (high - low + 1) / 2 as middle offset 0) m,
             lateral (select timestamp from ${table} where number <= middle order by number desc limit 1) mid
       where low < high)
    select place, (select number from ${table}
                    where number <= search.low and timestamp <= search.at order by number desc limit 1) as block
      from search where low = high`);
  const found = new Map(rows.map(({ place, block }) => [place, block ?? undefined]));
  return timestamps.map((_, place) => found.get(place));
}
