// No circles of imports: what cannot be read without what reads it has no top. Types count, because a reader follows them too.
import { type Import, importsOf, type SourceTree, shownImport } from "./source-tree.ts";

/** The files of each circle, sorted. Files that lead to each other by several ways are one circle. */
export function importCircles(tree: SourceTree): string[][] {
  const imports = importsOf(tree);
  const imported = new Map([...tree.keys()].map((path): [string, string[]] => [path, []]));
  for (const { from, to } of imports) imported.get(from)?.push(to);
  return groupsThatLeadBack(imported).sort();
}

/** Each import between two files of one circle. Taking one away adds no other, so that a list of them can only shrink. */
export function importsInCircles(tree: SourceTree): string[] {
  const circleOf = new Map(
    importCircles(tree).flatMap((files, circle) => files.map((file) => [file, circle] as const)),
  );
  const isInside = ({ from, to }: Import) => circleOf.has(from) && circleOf.get(from) === circleOf.get(to);
  return importsOf(tree).filter(isInside).map(shownImport).sort();
}

/** Tarjan's strongly connected components, without those of one file that does not import itself. */
function groupsThatLeadBack(imported: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const nextOf = (file: string) => imported.get(file) ?? [];
  const visit = (file: string): void => {
    const place = order.size;
    order.set(file, place);
    lowest.set(file, place);
    open.push(file);
    for (const next of nextOf(file)) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(file, Math.min(lowest.get(file) ?? place, lowest.get(next) ?? place));
    }
    if (lowest.get(file) !== place) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1 || nextOf(file).includes(file)) groups.push(group.sort());
  };
  for (const file of imported.keys()) if (!order.has(file)) visit(file);
  return groups;
}
