// An answer as a file.
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { partialOf } from "../machine/partial-file.ts";

/** Written beside its place, and moved there when it is complete. @throws errors of the disk or the pieces; then no file is left */
export async function writeAnswerFile(
  pieces: AsyncIterable<string | Uint8Array>,
  file: string,
  partial: string = partialOf(file),
): Promise<void> {
  try {
    await pipeline(pieces, createWriteStream(partial));
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}
