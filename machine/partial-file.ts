// Files that are written beside their places, and moved there when they are complete.
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { ownName, removeLeftovers } from "./leftovers.ts";

/** Processes of other machines, which may write to the same folder, cannot be seen from here. */
const kindOf = (file: string): string => `${basename(file)}.partial-${hostname()}`;

/** A name beside `file` that nobody else uses, as another run may be writing the same file. What killed runs left there is removed. */
export function partialOf(file: string): string {
  try {
    removeLeftovers(dirname(file), kindOf(file));
  } catch {
    // There is no such folder: writing there says so.
  }
  return join(dirname(file), `${ownName(kindOf(file))}-${randomUUID()}`);
}

/** What this process has begun beside `file` and not moved there. */
export function ownPartials(file: string): string[] {
  try {
    const own = readdirSync(dirname(file)).filter((name) => name.startsWith(`${ownName(kindOf(file))}-`));
    return own.map((name) => join(dirname(file), name));
  } catch {
    return [];
  }
}
