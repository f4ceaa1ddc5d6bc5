// Compares every file of a lake with its manifest. A file that does not match is made again from the index, and takes its place only
// if it has the bytes that the manifest names.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hashOfFile, type MadeFile } from "./made-file.ts";
import type { FileEntry, Manifest, SegmentEntry } from "./manifest.ts";

export interface WrongFile {
  segment: SegmentEntry;
  file: FileEntry;
  /** What is wrong with it, for people. */
  found: string;
}

/** Undefined: it is as the manifest says. */
export async function wrongOf(folder: string, { path, bytes, sha256 }: FileEntry): Promise<string | undefined> {
  const place = join(folder, path);
  const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return "is missing";
  if (found.size !== bytes) return `has ${found.size} bytes, not ${bytes}`;
  const hash = await hashOfFile(place);
  return hash === sha256 ? undefined : `has sha-256 ${hash}, not ${sha256}`;
}

/** Every file that is not as the manifest says, in the manifest's order. */
export async function findWrong(folder: string, manifest: Manifest): Promise<WrongFile[]> {
  const wrong: WrongFile[] = [];
  for (const segment of manifest.segments)
    for (const file of segment.files) {
      const found = await wrongOf(folder, file);
      if (found !== undefined) wrong.push({ segment, file, found });
    }
  return wrong;
}

/** Why a file that was made again is not the one that the manifest names; undefined: it is. */
export function whyNotSame(
  { file, segment }: Pick<WrongFile, "file" | "segment">,
  made: MadeFile | undefined,
  writer: string,
): string | undefined {
  if (made === undefined) return "the index has no such rows any more";
  if (made.entry.sha256 === file.sha256) return undefined;
  if (writer !== segment.writer) return `it was written by ${segment.writer}, and ${writer} writes other bytes`;
  return "the index gives other rows now than when it was written";
}
