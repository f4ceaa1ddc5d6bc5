// The command line of `npm run snapshot`.
import { type BlockChoice, blockNumbered } from "../gateway/history/block-choice.ts";
import { type Address, address } from "../gateway/parameters.ts";
import { readArguments, UsageError } from "../machine/command-line.ts";

export const USAGE = `npm run snapshot -- --token <address> (--block <number> | --timestamp <seconds>) --out <file>

  --token      the token
  --block      the block, after its last log
  --timestamp  instead: the last block at or before this time, Unix seconds
  --out        a file ending in .csv, .ndjson or .parquet; replaced when it is there
  --merkle     also write <file>.merkle.json: an OpenZeppelin tree over (address, uint256) and every proof

Everybody with a total above zero, largest first, in exact numbers. Exit code 0 when the file is complete; otherwise
an older file is left as it was.`;

export type FileFormat = "csv" | "ndjson" | "parquet";

export interface SnapshotPlan {
  token: Address;
  block: BlockChoice;
  file: string;
  format: FileFormat;
  withMerkle: boolean;
}

/** @throws UsageError with one line naming the option */
export function parsePlan(args: readonly string[]): SnapshotPlan | "help" {
  const { token, block, timestamp, out, merkle, help } = readOptions(args);
  if (help) return "help";
  const parsed = address.safeParse(token);
  if (!parsed.success) throw new UsageError("--token: must be a 0x-prefixed address of 40 hex digits");
  const format = /\.(csv|ndjson|parquet)$/.exec(out ?? "")?.[1];
  if (out === undefined || format === undefined)
    throw new UsageError("--out: must be a file ending in .csv, .ndjson or .parquet");
  return {
    token: parsed.data,
    block: blockOf(block, timestamp),
    file: out,
    format: format as FileFormat,
    withMerkle: merkle ?? false,
  };
}

function readOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { token: text, block: text, timestamp: text, out: text, merkle: flag, help: flag };
  return readArguments(args, { options }).values;
}

function blockOf(block: string | undefined, timestamp: string | undefined): BlockChoice {
  if ((block === undefined) === (timestamp === undefined))
    throw new UsageError("--block: give either --block or --timestamp");
  const [parameter, digits] = block === undefined ? ["--timestamp", timestamp] : ["--block", block];
  if (digits === undefined || !/^\d{1,12}$/.test(digits)) throw new UsageError(`${parameter}: must be digits`);
  return block === undefined
    ? { kind: "timestamp", timestamp: Number(digits), parameter }
    : blockNumbered(Number(digits), parameter);
}
