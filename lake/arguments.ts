// The options of `npm run lake`.
import { readArguments, UsageError } from "../machine/command-line.ts";

export const USAGE = `LAKE=<folder> npm run lake -- [--follow | --check]

  Writes everything that is final and not there yet, and ends.

  --follow  goes on as blocks become final, until it is stopped
  --check   reads every file, names those that are not as the manifest says, and writes them again from the index

Exit code 0: done, and every file checked is right; 3: --check found files that were not, and wrote them again; 1: some are
still wrong, or it failed; 2: wrong options or settings; 75: the database is away or locked, or the disk is full, try again later.`;

export type LakeTask = "write" | "follow" | "check" | "help";

/** @throws UsageError with one line naming the option */
export function parseTask(args: readonly string[]): LakeTask {
  const { follow, check, help } = readOptions(args);
  if (help) return "help";
  if (follow && check)
    throw new UsageError("--check: not together with --follow; run it beside, where --follow lends it its turn");
  if (check) return "check";
  return follow ? "follow" : "write";
}

function readOptions(args: readonly string[]) {
  const flag = { type: "boolean" } as const;
  return readArguments(args, { options: { follow: flag, check: flag, help: flag } }).values;
}
