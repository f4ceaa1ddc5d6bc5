// The command line of `npm run ask`: which question, of which product, about which block.
import { readArguments, UsageError } from "../machine/command-line.ts";
import { type ProductPlace, productPlace } from "../machine/product-place.ts";

/** GraphQL's `BlockInput`; undefined: the last synced one. */
export type BlockInput = { number: number } | { timestamp: number } | undefined;

export interface Given {
  /** In the order of the usage line. */
  words: readonly string[];
  block: BlockInput;
  chainId: number | undefined;
  /** Rows at most. */
  top: number;
  isExactOut: boolean;
}

export interface CommandLine {
  given: Given;
  place: ProductPlace;
  isJson: boolean;
}

const DEFAULT_TOP = 20;
/** GraphQL gives no more in one page. */
const LARGEST_TOP = 1_000;
/** GraphQL's Int. */
const LARGEST_INT = 2_147_483_647;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  block: text,
  timestamp: text,
  top: text,
  chain: text,
  url: text,
  key: text,
  json: flag,
  "exact-out": flag,
} as const;

/** Those that every question takes. */
const COMMON = ["block", "timestamp", "chain", "url", "key", "json"];

export interface Shape {
  /** Names of the words, for messages. */
  words: readonly string[];
  /** The last word may be given several times. */
  isList?: boolean;
  /** Beside the common ones. */
  options?: readonly string[];
}

/** @throws UsageError */
export function readCommandLine(argv: readonly string[], shape: Shape, env: NodeJS.ProcessEnv): CommandLine {
  const { values, positionals } = parse(argv);
  const unknown = Object.keys(values).find((name) => !COMMON.includes(name) && !shape.options?.includes(name));
  if (unknown !== undefined) throw new UsageError(`--${unknown}: this question does not take it; leave it out`);
  const missing = shape.words[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = shape.isList ? undefined : positionals[shape.words.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many; put names with spaces in quotes`);
  return {
    given: {
      words: positionals,
      block: blockOf(values.block, values.timestamp),
      chainId: values.chain === undefined ? undefined : integer("--chain", values.chain, [1, LARGEST_INT]),
      top: values.top === undefined ? DEFAULT_TOP : integer("--top", values.top, [1, LARGEST_TOP]),
      isExactOut: values["exact-out"] ?? false,
    },
    place: productPlace(values, env),
    isJson: values.json ?? false,
  };
}

function parse(argv: readonly string[]) {
  return readArguments(argv, { options, allowPositionals: true });
}

function blockOf(block: string | undefined, timestamp: string | undefined): BlockInput {
  if (block !== undefined && timestamp !== undefined)
    throw new UsageError("--block: give either --block or --timestamp");
  if (block !== undefined) return { number: integer("--block", block, [0, LARGEST_INT]) };
  if (timestamp !== undefined) return { timestamp: integer("--timestamp", timestamp, [0, 99_999_999_999]) };
  return undefined;
}

function integer(name: string, digits: string, [least, most]: readonly [number, number]): number {
  const value = Number(digits);
  if (!/^\d{1,15}$/.test(digits) || value < least || value > most)
    throw new UsageError(`${name}: must be a number from ${least} to ${most}, in digits`);
  return value;
}
