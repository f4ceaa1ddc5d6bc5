// What a folder holds, as one text: every file with its hash.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

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
