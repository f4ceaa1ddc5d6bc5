// How files become part of a lake: moved to their places, then named by a manifest that takes the place of the one before. A
// process that is killed in between leaves files that no manifest names.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ASIDE, CHECKSUMS, checksumsText, MANIFEST } from "../core/lake/paths.ts";
import { flush, type MadeFile } from "./made-file.ts";
import { filesOf, type Manifest, manifestText } from "./manifest.ts";

/** Moves files to their places, for good: `folder` is that of the chain. */
export async function moveFiles(folder: string, files: readonly MadeFile[]): Promise<void> {
  const folders = new Set<string>();
  for (const { aside, entry } of files) {
    const place = join(folder, entry.path);
    await mkdir(dirname(place), { recursive: true });
    await rename(aside, place);
    folders.add(dirname(place));
  }
  for (const one of [...folders, folder]) await flush(one);
}

export async function publish(folder: string, manifest: Manifest): Promise<void> {
  await replaceFile(folder, MANIFEST, manifestText(manifest));
  await writeChecksums(folder, manifest);
}

/** Writes `SHA256SUMS` where it is not what the manifest says. */
export async function writeChecksums(folder: string, manifest: Manifest): Promise<void> {
  const text = checksumsText(filesOf(manifest));
  const found = await readFile(join(folder, CHECKSUMS), "utf8").catch(() => undefined);
  if (found !== text) await replaceFile(folder, CHECKSUMS, text);
}

async function replaceFile(folder: string, name: string, text: string): Promise<void> {
  const aside = join(folder, ASIDE, name);
  await writeFile(aside, text);
  await flush(aside);
  await rename(aside, join(folder, name));
  await flush(folder);
}
