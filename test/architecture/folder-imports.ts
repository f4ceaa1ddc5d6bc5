// Which folder may import what, as the table of docs/overview.md says.
import { importsOf, type SourceTree, shownImport } from "./source-tree.ts";

/** By folder: the files and folders that its files may import beside their own; undefined: anything. */
export type ImportTable = ReadonlyMap<string, readonly string[] | undefined>;

/** The rows of the document that begin with a folder. */
export function importTableOf(document: string): ImportTable {
  const rows = document.split("\n").flatMap((line) => {
    const [, folder, allowed] = /^\| `([^`]+\/)` \|.*\|([^|]*)\|$/.exec(line) ?? [];
    return folder === undefined || allowed === undefined ? [] : [[folder, allowed.trim()] as const];
  });
  return new Map(rows.map(([folder, allowed]) => [folder, allowed === "anything" ? undefined : placesIn(allowed)]));
}

function placesIn(cell: string): string[] {
  const places = [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, place]) => place ?? []);
  if (places.length === 0 && cell !== "nothing") throw new Error(`"${cell}" names no place, and is not "nothing"`);
  return places;
}

/** Imports that the table does not allow, and folders of code that it lacks; sorted. */
export function importsBeyondTable(tree: SourceTree, table: ImportTable): string[] {
  const folderOf = (path: string) => path.slice(0, path.indexOf("/") + 1);
  const lacking = [...new Set([...tree.keys()].map(folderOf))].filter((folder) => folder !== "" && !table.has(folder));
  const beyond = importsOf(tree).filter(({ from, to }) => {
    const folder = folderOf(from);
    const allowed = table.get(folder);
    const isIn = (place: string) => to === place || (place.endsWith("/") && to.startsWith(place));
    return allowed !== undefined && ![folder, ...allowed].some(isIn);
  });
  return [...lacking.map((folder) => `${folder} is not in the table`), ...beyond.map(shownImport)].sort();
}
