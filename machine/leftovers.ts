// Files and folders of work that a process was ended in the middle of (kill -9, or a stop that waits for nothing): nothing else removes them.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { identify } from "./processes.ts";

/** The beginning of the name of a file or folder that the process has of its own. */
export const ownName = (kind: string, pid: number = process.pid): string => `${kind}-${pid}`;

/** Removes the files and folders in `folder` whose names begin as {@link ownName} says and whose processes are gone. */
export function removeLeftovers(folder: string, kind: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(`${kind}-`) ? /^\d+(?=-|$)/.exec(name.slice(kind.length + 1))?.[0] : undefined;
    if (pid !== undefined && identify(Number(pid)) === undefined)
      try {
        rmSync(join(folder, name), { recursive: true, force: true });
      } catch {
        // Another user's, who removes it.
      }
  }
}
