// Pages know what anybody can ask, and nothing of how it is answered: they import questions, not what questions are made of.
import { importsOf, type SourceTree } from "./source-tree.ts";

export interface PageDoors {
  /** The folder of the pages. */
  under: string;
  /** Files, and folders with a slash at the end, that pages may import beside each other. */
  doors: readonly string[];
}

/** Which page imports what lies behind the questions, sorted. */
export function pagesBehindDoors(tree: SourceTree, { under, doors }: PageDoors): string[] {
  const allowed = [under, ...doors];
  const isAllowed = (to: string) =>
    allowed.some((place) => to === place || (place.endsWith("/") && to.startsWith(place)));
  return importsOf(tree)
    .filter(({ from, to }) => from.startsWith(under) && !isAllowed(to))
    .map(({ from, to }) => `${from} imports ${to}`)
    .sort();
}
