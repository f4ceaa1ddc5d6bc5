// One writer per folder, whatever its database: two that know nothing of each other would delete each other's unfinished files.
import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FileLock, tryLock } from "../machine/file-lock.ts";
import { makeFolder } from "../machine/make-folder.ts";

/** An empty file that the writer keeps locked. */
export const CLAIM = ".claim";
/** A file that says in words which process writes, or wrote last. */
export const WRITER = ".writer";
/** A writer that has lost its database may still be ending. */
const PATIENCE_MS = 10_000;
const POLL_MS = 200;

/**
 * Claims the folder of a chain. The claim ends with the process, also by kill -9.
 * @throws LakeTakenError when another process still has it after ten seconds
 */
export async function claimFolder(folder: string, signal: AbortSignal): Promise<FileLock> {
  makeFolder(folder);
  const note = join(folder, WRITER);
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(POLL_MS, undefined, { signal })) {
    const lock = tryLock(join(folder, CLAIM));
    if (lock !== undefined) {
      // On a full disk the writer is not named; the claim holds all the same.
      await writeFile(note, `process ${process.pid} on ${hostname()} since ${new Date().toISOString()}\n`).catch(
        () => {},
      );
      return lock;
    }
    if (performance.now() > deadline) throw new LakeTakenError(folder, await readFile(note, "utf8").catch(() => ""));
  }
}

/** A writer of another database, or of another machine, has the folder. */
export class LakeTakenError extends Error {
  override name = "LakeTakenError";
  constructor(folder: string, writer: string) {
    super(
      `LAKE: another product writes ${folder} (${writer.trim() || "it has not said which"}): give each product a folder of its own`,
    );
  }
}
