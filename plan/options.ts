// The options of `npm run plan`.
import { availableParallelism } from "node:os";
import { nodeUrlProblem } from "../chains/node-url.ts";
import { readArguments, UsageError } from "../machine/command-line.ts";

export const usage = `npm run plan -- --chain <name or path of a chain file> [options]
  --rpc-rate 100    requests a second that the node grants
  --rpc-url URL     the node (else RPC_URL_<chain id>, RPC_URL): asked for the head, and by --sample
  --head N          the last block, instead of asking a node
  --sample          counts events in 20 ranges of blocks, some 40 requests
  --events N        events from the start block to the head, instead of a sample or the assumption
  --tokens N        ERC-20 tokens on the chain, instead of the assumption
  --log-range N     the most blocks for which the node answers eth_getLogs at once
  --block-seconds 2 seconds between blocks, for what following the head asks
  --cores N         of the machine that will index (here: ${availableParallelism()})
  --lake            with a history lake
Exit code: 0 a plan; 1 the chain file or an option is wrong; 2 the node could not be asked.`;

export interface PlanOptions {
  chain: string;
  rpcRate: number;
  rpcUrl: string | undefined;
  head: number | undefined;
  isSampled: boolean;
  events: number | undefined;
  tokens: number | undefined;
  logRange: number;
  blockSeconds: number;
  cores: number;
  hasLake: boolean;
}

const options = {
  chain: { type: "string" },
  "rpc-rate": { type: "string", default: "100" },
  "rpc-url": { type: "string" },
  head: { type: "string" },
  sample: { type: "boolean", default: false },
  events: { type: "string" },
  tokens: { type: "string" },
  "log-range": { type: "string" },
  "block-seconds": { type: "string", default: "2" },
  cores: { type: "string" },
  lake: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** Undefined: the usage is wanted. @throws UsageError naming the option */
export function readOptions(args: readonly string[]): PlanOptions | undefined {
  const { values } = readArguments(args, { options });
  if (values.help) return undefined;
  if (values.chain === undefined) throw new UsageError("--chain is missing: name a chain file, e.g. --chain berachain");
  if (values.sample && values.events !== undefined)
    throw new UsageError("--sample and --events both say how many events there are: give one of them");
  const rpcUrl = values["rpc-url"];
  const problem = rpcUrl === undefined ? undefined : nodeUrlProblem(rpcUrl);
  if (problem !== undefined) throw new UsageError(`--rpc-url: ${problem}`);
  const whole = (name: "head" | "events" | "tokens" | "log-range" | "cores") =>
    values[name] === undefined ? undefined : numberOf(name, values[name], WHOLE);
  return {
    chain: values.chain,
    rpcRate: aboveZero("rpc-rate", numberOf("rpc-rate", values["rpc-rate"], DECIMAL)),
    rpcUrl,
    head: whole("head"),
    isSampled: values.sample,
    events: whole("events"),
    tokens: whole("tokens"),
    logRange: aboveZero("log-range", whole("log-range") ?? Number.POSITIVE_INFINITY),
    blockSeconds: aboveZero("block-seconds", numberOf("block-seconds", values["block-seconds"], DECIMAL)),
    cores: aboveZero("cores", whole("cores") ?? availableParallelism()),
    hasLake: values.lake,
  };
}

interface Form {
  pattern: RegExp;
  words: string;
}

const WHOLE: Form = { pattern: /^\d{1,15}$/, words: "a whole number in digits" };
const DECIMAL: Form = { pattern: /^\d{1,15}(\.\d+)?$/, words: "a number in digits, such as 100 or 0.5" };

function numberOf(name: string, text: string, { pattern, words }: Form): number {
  if (!pattern.test(text)) throw new UsageError(`--${name} ${text}: must be ${words}`);
  return Number(text);
}

function aboveZero(name: string, value: number): number {
  if (value === 0) throw new UsageError(`--${name} 0: must be above zero`);
  return value;
}
