// The house's laws as this project sets them: from a tree of code to sentences about what breaks them. Each has a test file
// of its own name, which shows it a violation before it trusts it.
import { importsInCircles } from "./import-graph.ts";
import type { SourceTree } from "./source-tree.ts";

export const laws = {
  "import-graph": (tree: SourceTree): string[] => importsInCircles(tree),
} as const;

export type LawName = keyof typeof laws;
