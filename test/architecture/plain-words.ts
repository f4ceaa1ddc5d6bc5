// The words of the house: names and sentences that a stranger would have to read twice.
import ts from "typescript";
import { parse } from "./source-tree.ts";

/** `asked`, `untold` and `isKept` say nothing of what they hold, and `look` nothing of what it does. */
const RIDDLE = /^(un)?(asked|told|kept)([A-Z]|$)|(^|[a-z])(Asked|Told|Kept)([A-Z]|$)|^[Ll]ook$/;

/** What is unknown is called unknown; what is not the same is distinguished. */
const ARCHAIC =
  /cannot be told|told apart|\btells? of\b|\bwhoever\b|gone on with|\b(nothing|everything) is said of\b/gi;

/** Names in the code of `path` that are riddles. */
export function riddlesIn(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && RIDDLE.test(node.text)) found.push(`${path}: ${node.text}`);
    node.forEachChild(visit);
  };
  visit(parse(path, text));
  return found;
}

/** Archaic words in `text`, with their lines. */
export const archaicWordsIn = (path: string, text: string): string[] =>
  text
    .split("\n")
    .flatMap((line, index) => (line.match(ARCHAIC) ?? []).map((words) => `${path}:${index + 1}: ${words}`));
