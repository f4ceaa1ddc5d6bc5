// A folder and those above it, made where they are missing. Node's own `recursive` asks the system for ever where nothing can be made in a
// folder that is there, as in /proc, and calls a folder missing that cannot be made for another reason.
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** @throws the system's error of the first folder that cannot be made */
export function makeFolder(folder: string): void {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  if (isThere) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // somebody else may have made it meanwhile
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
