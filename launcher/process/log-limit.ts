// The log of a running part: what is in it is moved to `<log>.1` when it is long, while the part goes on writing.
import { closeSync, copyFileSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";

export interface LogLimit {
  bytes: number;
  /** How often its size is compared. */
  everyMs: number;
}

export const LOG_LIMIT: LogLimit = { bytes: 50_000_000, everyMs: 30_000 };

/**
 * Leaves `file` empty and `<file>.1` with all that was in it, if that is more than `bytes`; whether it did. Its writer must append.
 * What it writes meanwhile is copied at the end, so that at most the lines of that moment are lost. Where there is no room for the
 * copy, the log grows on. All in one turn of the event loop, so that the part is not started anew in the middle of it.
 */
export function shortenLog(file: string, bytes: number): boolean {
  try {
    if (statSync(file).size <= bytes) return false;
    copyFileSync(file, `${file}.1`);
    moveRest(file, statSync(`${file}.1`).size);
    return true;
  } catch {
    return false;
  }
}

function moveRest(file: string, from: number): void {
  const log = openSync(file, "r+");
  const copy = openSync(`${file}.1`, "a");
  try {
    const part = Buffer.alloc(64 * 1024);
    for (let at = from, read = 1; read > 0; at += read) {
      read = readSync(log, part, 0, part.length, at);
      writeSync(copy, part, 0, read);
    }
    ftruncateSync(log);
  } finally {
    closeSync(log);
    closeSync(copy);
  }
}
