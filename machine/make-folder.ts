// A folder and those above it, made where they are missing. Node's own `recursive` loops for ever where an existing folder accepts no
// new ones, as /proc does, and reports a folder as missing when it cannot be made for another reason.
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
