import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { archaicWordsIn, riddlesIn } from "./plain-words.ts";
import { projectTree } from "./source-tree.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tree = [...projectTree()];

/** All documents but the changelog, which speaks of what was, and the descriptions of GraphQL's schema. */
const documents = ["docs", "gateway/graphql", "src", "ops"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, String(path))))
  .concat(readdirSync(root))
  .filter((path) => /\.(md|graphql)$/.test(path) && path !== "CHANGELOG.md");

/** The text of these decides an index's name: a changed comment would have every index made again. The law names what it forbids. */
const isSpared = (path: string) => /^src\/.*\.ts$/.test(path) || path.startsWith("test/architecture/plain-words");

describe("plain words", () => {
  it("no name is asked, told, kept or look, or has them in it", () => {
    expect(tree.flatMap(([path, text]) => riddlesIn(path, text))).toEqual([]);
  });

  it("no comment, message, title or document is archaic", () => {
    const read = documents.map((path) => [path, readFileSync(join(root, path), "utf8")] as const);
    const judged = [...tree, ...read].filter(([path]) => !isSpared(path));
    expect(judged.flatMap(([path, text]) => archaicWordsIn(path, text))).toEqual([]);
  });

  it("finds what is planted", () => {
    const planted = "const untold = isKept ? look : taskedWith; // whoever asks\nconst masked = kept.told;";
    expect(riddlesIn("a.ts", planted)).toEqual(["untold", "isKept", "look", "kept", "told"].map((n) => `a.ts: ${n}`));
    expect(archaicWordsIn("a.ts", `one\n${planted}\nIts balances cannot be told apart.`)).toEqual([
      "a.ts:2: whoever",
      "a.ts:4: cannot be told",
    ]);
  });
});
