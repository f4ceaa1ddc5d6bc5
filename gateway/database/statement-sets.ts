// One statement in place of several that differ in their parameters alone: most of what a short one costs is being sent.

type Sets = readonly (readonly string[])[];

/**
 * `text` for every set of parameters, {@link setsParameter}. `offset 0` keeps it a plan of its own, the one that it has when
 * it is sent alone, run for each set in turn: so its rows stay in their order.
 */
export function textForSets(text: string, [first = []]: Sets): string {
  const columns = first.map((_, i) => `, "${i}" text`).join("");
  return `
    select sets.set_place, r.* from json_to_recordset($1::text::json) as sets(set_place int${columns})
     cross join lateral (${text.replace(/\$(\d+)/g, (_, n: string) => `sets."${Number(n) - 1}"`)} offset 0) r`;
}

export const setsParameter = (sets: Sets): string =>
  JSON.stringify(sets.map((parameters, place) => ({ set_place: place, ...parameters })));

/** The rows of each set. */
export function rowsOfSets(rows: readonly object[], sets: Sets): object[][] {
  const found = sets.map((): object[] => []);
  for (const { set_place: place, ...row } of rows as readonly { set_place: number }[]) found[place]?.push(row);
  return found;
}
