// What the tree still breaks: lists of violations that may only become shorter. Once they are empty this goes, and so does
// baseline.json.
import { readFileSync } from "node:fs";
import { type LawName, laws } from "./laws.ts";
import { projectTree } from "./source-tree.ts";

export const baselineFile: URL = new URL("baseline.json", import.meta.url);

export type Baseline = Partial<Record<LawName, readonly string[]>>;

export const readBaseline = (): Baseline => JSON.parse(readFileSync(baselineFile, "utf8")) as Baseline;

export interface Difference {
  /** To be mended, never to be listed. */
  added: string[];
  /** Mended already: to be deleted from baseline.json, which shrink-baseline.ts does. */
  gone: string[];
}

export const NO_DIFFERENCE: Difference = { added: [], gone: [] };

export function differenceFrom(listed: readonly string[], violations: readonly string[]): Difference {
  return {
    added: violations.filter((violation) => !listed.includes(violation)),
    gone: listed.filter((entry) => !violations.includes(entry)),
  };
}

/** Between what the project breaks and what its baseline lists. */
export const differenceOf = (law: LawName): Difference =>
  differenceFrom(readBaseline()[law] ?? [], laws[law](projectTree()));
