// One statement in place of several that differ only in their parameters: most of the cost of a short one is sending it.

type Sets = readonly (readonly string[])[];

const PLACE = /^\s*select sets\.set_place(\d*),/;

/**
 * The column that says which set a row is of. A text that several requests ask in the same turn may itself be one for sets, those of
 * the blocks that each request asks about: then a row has two such columns, which must have different names.
 */
function placeColumn(text: string): string {
  const inner = PLACE.exec(text)?.[1];
  return inner === undefined ? "set_place" : `set_place${Number(inner) + 1}`;
}

/**
 * `text` for every set of parameters, {@link setsParameter}. `offset 0` keeps it a plan of its own, the one that it has when
 * it is sent alone, run for each set in turn, so that its rows stay in their order.
 */
export function textForSets(text: string, [first = []]: Sets): string {
  const columns = first.map((_, i) => `, "${i}" text`).join("");
  return `
    select sets.${placeColumn(text)}, r.* from json_to_recordset($1::text::json) as sets(${placeColumn(text)} int${columns})
     cross join lateral (${text.replace(/\$(\d+)/g, (_, n: string) => `sets."${Number(n) - 1}"`)} offset 0) r`;
}

/** Of `text`, which is that for one set, as in {@link textForSets}. */
export const setsParameter = (text: string, sets: Sets): string =>
  JSON.stringify(sets.map((parameters, place) => ({ [placeColumn(text)]: place, ...parameters })));

/** The rows of each set. @throws Error for a row of none of them: an answer would lack it */
export function rowsOfSets(text: string, rows: readonly object[], sets: Sets): object[][] {
  const column = placeColumn(text);
  const found = sets.map((): object[] => []);
  for (const { [column]: place, ...row } of rows as readonly Record<string, unknown>[]) {
    const ofSet = found[Number(place)];
    if (ofSet === undefined) throw new Error(`a row of set ${place}, of ${sets.length} that were sent together`);
    ofSet.push(row);
  }
  return found;
}
