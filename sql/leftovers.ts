// Removes what statements at the terminal left behind that were killed (kill -9) in the middle: nothing else removes it.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { identify } from "../machine/processes.ts";

const OF_TERMINAL = /^terminal-(\d+)$/;

/** The folder of its own that a statement at the terminal has for as long as it runs. */
export const terminalName = (pid: number): string => `terminal-${pid}`;

/** Removes the folders below `folder` of processes that are gone. */
export function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = OF_TERMINAL.exec(name)?.[1];
    if (pid !== undefined && identify(Number(pid)) === undefined)
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}
