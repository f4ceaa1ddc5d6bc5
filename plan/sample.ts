// Counts events in ranges of blocks spread over a chain, so that a plan does not have to assume how many there are.
import { type Abi, toEventSelector } from "viem";
import { z } from "zod";
import type { Source } from "./log-queries.ts";

/** One JSON-RPC call; resolves to its result. @throws RpcError, also for a result of another shape */
export type Ask = <T>(schema: z.ZodType<T>, method: string, params: readonly unknown[]) => Promise<T>;

export interface Sample {
  ranges: number;
  /** Of all ranges together. */
  blocks: number;
  eventsPerBlock: number;
  /** Standard error of that, by the differences between ranges; undefined where there is one alone. */
  error: number | undefined;
  transferShare: number;
  eventsPerTransaction: number;
  inputBytes: number;
}

interface Sampling {
  first: number;
  head: number;
  /** Topics of every event that is indexed. */
  topics: readonly string[];
  /** Whose transfers are indexed; undefined: everybody's. */
  transferring?: ReadonlySet<string> | undefined;
  /** The most blocks for which the node answers. */
  mostBlocks: number;
}

const RANGES = 20;
const RANGE_BLOCKS = 100;

const logSchema = z.object({
  address: z.string(),
  topics: z.array(z.string()),
  blockNumber: z.string(),
  transactionHash: z.string(),
});
type Log = z.infer<typeof logSchema>;

const blockSchema = z.object({ transactions: z.array(z.object({ hash: z.string(), input: z.string() })) });

export const TRANSFER = toEventSelector("Transfer(address,address,uint256)");

/** The topics of all events of the ABIs. */
export const topicsOf = (abis: readonly Abi[]): string[] => [
  ...new Set(abis.flat().flatMap((item) => (item.type === "event" ? [toEventSelector(item)] : []))),
];

/** The contracts at fixed addresses whose Transfers are indexed, in lower case; undefined: every contract's are. */
export function transferringAmong(sources: readonly Source[]): ReadonlySet<string> | undefined {
  const addresses = sources.filter(({ abi }) => topicsOf([abi]).includes(TRANSFER)).map(({ address }) => address);
  if (addresses.includes(undefined)) return undefined;
  const fixed = addresses.flatMap((one) => (typeof one === "string" || Array.isArray(one) ? one : []));
  return new Set(fixed.map((one: string) => one.toLowerCase()));
}

/** An NFT's Transfer has the same first topic, and one topic more. */
const isTransfer = ({ topics }: Log): boolean => topics[0] === TRANSFER && topics.length === 3;

function isIndexed(log: Log, { transferring }: Pick<Sampling, "transferring">): boolean {
  if (log.topics[0] !== TRANSFER) return true;
  return isTransfer(log) && (transferring?.has(log.address.toLowerCase()) ?? true);
}

/**
 * Events of contracts that no factory of the chain file made are counted, too, unless they are transfers: the sample has too
 * many of them rather than too few. Where only some contracts' transfers are indexed, those of what factories made are left out.
 */
export async function sampleEvents(ask: Ask, sampling: Sampling): Promise<Sample> {
  const counted: Counted[] = [];
  for (const range of rangesOf(sampling)) counted.push(await countRange(ask, range, sampling));
  const sum = (of: (one: Counted) => number) => counted.reduce((all, one) => all + of(one), 0);
  const [blocks, events] = [sum((one) => one.blocks), sum((one) => one.events)];
  const mean = events / blocks;
  const squares = sum((one) => (one.events / one.blocks - mean) ** 2);
  return {
    ranges: counted.length,
    blocks,
    eventsPerBlock: mean,
    error: counted.length < 2 ? undefined : Math.sqrt(squares / (counted.length - 1) / counted.length),
    transferShare: events === 0 ? 1 : sum((one) => one.transfers) / events,
    eventsPerTransaction: events === 0 ? 1 : events / sum((one) => one.transactions),
    inputBytes: meanOf(counted.flatMap((one) => one.inputs)),
  };
}

/** Evenly spread, the newest blocks included; the whole chain if it is short. */
export function rangesOf({ first, head, mostBlocks }: Sampling): [number, number][] {
  const all = head - first + 1;
  const length = Math.min(RANGE_BLOCKS, mostBlocks);
  if (all <= RANGES * length) {
    const count = Math.ceil(all / length);
    return Array.from({ length: count }, (_, i) => [first + i * length, Math.min(first + (i + 1) * length - 1, head)]);
  }
  return Array.from({ length: RANGES }, (_, i) => {
    const from = first + Math.floor((i * (all - length)) / (RANGES - 1));
    return [from, from + length - 1];
  });
}

interface Counted {
  blocks: number;
  events: number;
  transfers: number;
  transactions: number;
  /** Bytes of input of transactions that have such an event, of one block. */
  inputs: number[];
}

/** A node that refuses a range is asked for its halves. */
async function logsOf(ask: Ask, [from, to]: [number, number], topics: readonly string[]): Promise<Log[]> {
  const filter = { fromBlock: hexOf(from), toBlock: hexOf(to), topics: [topics] };
  try {
    return await ask(z.array(logSchema), "eth_getLogs", [filter]);
  } catch (error) {
    if (from === to) throw error;
    const middle = Math.floor((from + to) / 2);
    return [...(await logsOf(ask, [from, middle], topics)), ...(await logsOf(ask, [middle + 1, to], topics))];
  }
}

async function countRange(ask: Ask, range: [number, number], sampling: Sampling): Promise<Counted> {
  const logs = (await logsOf(ask, range, sampling.topics)).filter((log) => isIndexed(log, sampling));
  const hashes = new Set(logs.map(({ transactionHash }) => transactionHash));
  return {
    blocks: range[1] - range[0] + 1,
    events: logs.length,
    transfers: logs.filter(isTransfer).length,
    transactions: hashes.size,
    inputs: await inputsOf(ask, logs, hashes),
  };
}

/** Inputs of the block in the middle of those with events. */
async function inputsOf(ask: Ask, logs: readonly Log[], hashes: ReadonlySet<string>): Promise<number[]> {
  const log = logs[Math.floor(logs.length / 2)];
  if (!log) return [];
  const { transactions } = await ask(blockSchema, "eth_getBlockByNumber", [log.blockNumber, true]);
  return transactions.filter(({ hash }) => hashes.has(hash)).map(({ input }) => input.length / 2 - 1);
}

const hexOf = (block: number): string => `0x${block.toString(16)}`;
const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, one) => sum + one, 0) / values.length;
