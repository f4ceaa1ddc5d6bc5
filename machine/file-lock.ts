// A lock that ends with its holder, even after kill -9 or a crash of the machine: the kernel's own, on an empty file. Node has no
// call for it; SQLite, which comes with Node, sets it. Nothing is ever written to the file.
import { DatabaseSync } from "node:sqlite";

export interface FileLock {
  release(): void;
}

/** SQLITE_BUSY, in the low byte of every code that says so. */
const BUSY = 5;

/**
 * Undefined while somebody else has it. Where the file cannot be made, or the file system has no locks, nobody is kept out: the next
 * attempt to write there reports the first of these clearly. The file stays: a new file would be another lock.
 */
export function tryLock(file: string): FileLock | undefined {
  let held: DatabaseSync | undefined;
  try {
    held = new DatabaseSync(file);
    held.exec("pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    held?.close();
    const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
    if ((code & 0xff) === BUSY) return undefined;
    return { release() {} };
  }
  return { release: () => held.isOpen && held.close() };
}
