// The options of `npm run lake:prune`.
import { readArguments, UsageError } from "../../machine/command-line.ts";

export const USAGE = `LAKE=<folder> npm run lake:prune -- --before <block>

  Deletes from PostgreSQL the intervals that ended in segments of the lake which end by this block, after every one of them was
  compared with the lake's files. Answers about earlier blocks are then made from the lake, which must be kept.
  Nothing is deleted unless everything matches. If it was killed, run it again: it goes on where it was.

Exit code 0: done; 1: refused, or it failed, the line says why; 2: wrong options or settings; 75: the database is away, try again.`;

const BLOCK = /^\d{1,10}$/;

/** The block, or `help`. @throws UsageError with one line naming the option */
export function parseBefore(args: readonly string[]): number | "help" {
  const { before, help } = readOptions(args);
  if (help) return "help";
  if (before === undefined) throw new UsageError("--before is missing: name a block, e.g. --before 1000000");
  if (!BLOCK.test(before)) throw new UsageError(`--before ${before}: must be a block number in digits`);
  return Number(before);
}

function readOptions(args: readonly string[]) {
  return readArguments(args, { options: { before: { type: "string" }, help: { type: "boolean" } } }).values;
}
