// The content of folders: every file with its hash.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CHECKSUMS, MANIFEST } from "../../core/lake/paths.ts";
import { CLAIM, WRITER } from "../../lake/folder-claim.ts";
import { readManifest } from "../../lake/manifest.ts";

const OWN_FILES = new Set([MANIFEST, CHECKSUMS, CLAIM, WRITER]);
/** The writer may be in the middle of a segment. */
const WRITING_MS = 30_000;

/** Files of a chain's lake that its manifest does not name, or names with another hash: there must be none, even while it grows. */
export async function strayFiles(folder: string): Promise<string[]> {
  for (const since = performance.now(); ; await sleep(1_000)) {
    const state = (await folderState(folder)).split("\n");
    const manifest = await readManifest(folder);
    const named = new Set(
      manifest?.segments.flatMap(({ files }) => files.map(({ path, sha256 }) => `${join(folder, path)} ${sha256}`)),
    );
    const stray = state.filter((line) => {
      const [path = "", hash] = line.split(" ");
      return hash !== "-" && !OWN_FILES.has(path.slice(folder.length + 1)) && !named.has(line);
    });
    if (stray.length === 0 || performance.now() - since > WRITING_MS) return stray;
  }
}

export async function folderState(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const lines = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isFile()
        ? createHash("sha256")
            .update(await readFile(path))
            .digest("hex")
        : "-";
      return `${path} ${content}`;
    }),
  );
  return lines.sort().join("\n");
}
