// Arrows run downwards only. Every file stands on a floor; what it imports stands beside it in the same room, or lower.
import { importsOf, type SourceTree, shownImport } from "./source-tree.ts";

/** Rooms of one height: none of them knows of the others. */
export interface Floor {
  name: string;
  /** Each a list of places: files, and folders with a slash at the end. */
  rooms: readonly (readonly string[])[];
}

interface Place {
  height: number;
  room: readonly string[];
}

/** `file imports file`, where that leads upwards or into a room beside, and files that stand nowhere; sorted. */
export function upwardImports(tree: SourceTree, part: string, floors: readonly Floor[]): string[] {
  const inside = [...tree.keys()].filter((path) => path.startsWith(part));
  const places = new Map(
    inside.flatMap((path) => {
      const place = placeOf(path, floors);
      return place ? [[path, place] as const] : [];
    }),
  );
  const offends = importsOf(tree).filter(({ from, to }) => {
    const [above, below] = [places.get(from), places.get(to)];
    return above && below && above.room !== below.room && below.height >= above.height;
  });
  const nowhere = inside.filter((path) => !places.has(path)).map((path) => `${path} stands on no floor`);
  return [...offends.map(shownImport), ...nowhere].sort();
}

/** The longest place that the path lies in: a file may stand elsewhere than its folder. */
function placeOf(path: string, floors: readonly Floor[]): Place | undefined {
  let found: (Place & { length: number }) | undefined;
  for (const [height, { rooms }] of [...floors].reverse().entries())
    for (const room of rooms)
      for (const place of room) {
        const isIn = path === place || (place.endsWith("/") && path.startsWith(place));
        if (isIn && place.length > (found?.length ?? 0)) found = { height, room, length: place.length };
      }
  return found;
}
