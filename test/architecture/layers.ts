// Arrows run downwards only. Every file stands on a floor; what it imports stands beside it in the same room, or lower.
import { importsOf, type SourceTree } from "./source-tree.ts";

/** Rooms of one height: none of them knows of the others. */
export interface Floor {
  name: string;
  /** Each a list of places: files, and folders with a slash at the end. */
  rooms: readonly (readonly string[])[];
}

interface Place {
  floor: Floor;
  room: readonly string[];
}

/** Which file reaches which floor above, or a room beside its own, and which stands nowhere; each once, sorted. */
export function upwardImports(tree: SourceTree, part: string, floors: readonly Floor[]): string[] {
  const inside = [...tree.keys()].filter((path) => path.startsWith(part));
  const placed = inside.map((path) => [path, placeOf(path, floors)] as const);
  const places = new Map(placed.flatMap(([path, place]) => (place ? [[path, place] as const] : [])));
  const reached = importsOf(tree).flatMap(({ from, to }) => {
    const [above, below] = [places.get(from), places.get(to)];
    if (!above || !below || above.room === below.room) return [];
    return floors.indexOf(below.floor) <= floors.indexOf(above.floor) ? [`${from} imports ${below.floor.name}`] : [];
  });
  const nowhere = inside.filter((path) => !places.has(path)).map((path) => `${path} stands on no floor`);
  return [...new Set([...reached, ...nowhere])].sort();
}

/** The longest place that the path lies in: a file may stand elsewhere than its folder. */
function placeOf(path: string, floors: readonly Floor[]): Place | undefined {
  const isIn = (place: string) => path === place || (place.endsWith("/") && path.startsWith(place));
  const found = floors.flatMap((floor) =>
    floor.rooms.flatMap((room) => room.filter(isIn).map((place) => ({ floor, room, length: place.length }))),
  );
  return found.sort((a, b) => b.length - a.length)[0];
}
