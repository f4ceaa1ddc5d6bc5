// Names Ponder's schema after everything that decides its rows, so that a changed index never resumes stale tables.
// Ponder hashes src/, ponder.schema.ts and the contract config; files that those import from elsewhere are added here.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChainFile } from "./chain-file.ts";
import { indexingOf } from "./indexing.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Paths (relative to the project, sorted) of all .ts files below `folder`, without those below `except`. */
export function sourceFiles(folder: string, except: readonly string[] = []): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => !except.some((prefix) => path.startsWith(prefix)))
    .sort();
}

/** sha256 (hex) over names and texts of `files`, then over `values` as JSON. */
export function hashOf(files: readonly string[], ...values: readonly unknown[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\0${readFileSync(join(root, file), "utf8")}\0`);
  for (const value of values) hash.update(`${JSON.stringify(value)}\0`);
  return hash.digest("hex");
}

/** Everything except the chain itself that decides the rows of the fact tables. */
export function indexedFiles(): string[] {
  return [
    "ponder.config.ts",
    "ponder.schema.ts",
    "chains/indexing.ts",
    ...sourceFiles("src", ["src/api/"]),
    ...sourceFiles("abis"),
  ];
}

const ponderVersion = (): string => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: { ponder: string } };
  return manifest.dependencies.ponder;
};

/** Name of Ponder's schema for this code and chain: `facts_<chain id>_<12 hex digits>`. */
export function ponderSchemaName(chain: ChainFile): string {
  return `facts_${chain.chainId}_${hashOf(indexedFiles(), indexingOf(chain), ponderVersion()).slice(0, 12)}`;
}
