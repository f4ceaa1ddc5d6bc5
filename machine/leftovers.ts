// Folders of work that a process was ended in the middle of (kill -9, or a stop that waits for nothing): nothing else removes them.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { identify } from "./processes.ts";

/** The beginning of the name of a folder that the process has of its own; `kind` is a word. */
export const ownName = (kind: string, pid: number = process.pid): string => `${kind}-${pid}`;

/** Removes the folders below `folder` whose names begin as {@link ownName} says and whose processes are gone. */
export function removeLeftovers(folder: string, kind: string): void {
  const pattern = new RegExp(`^${kind}-(\\d+)(-|$)`);
  for (const name of readdirSync(folder)) {
    const pid = pattern.exec(name)?.[1];
    if (pid !== undefined && identify(Number(pid)) === undefined)
      try {
        rmSync(join(folder, name), { recursive: true, force: true });
      } catch {
        // Another user's, who removes it.
      }
  }
}
