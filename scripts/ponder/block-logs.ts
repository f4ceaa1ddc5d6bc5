// Whether a list of logs can be all logs of its block. A node that leaves some out does not say so, but the block shows it:
// its logs are numbered from 0 without a gap, and their addresses and topics give exactly the bits of its bloom.
import type { Hex } from "viem";
import { hexToBytes, keccak256 } from "./remembered-hashes.ts";

export interface NodeLog {
  address: Hex;
  topics: Hex[];
  blockNumber: Hex;
  blockHash: Hex;
  transactionIndex: Hex;
  logIndex: Hex;
}

export interface NodeBlock {
  number: Hex;
  hash: Hex;
  logsBloom?: Hex | null;
  /** Hashes, in order. */
  transactions: Hex[];
}

const BLOOM_BYTES = 256;
export const ZERO_BLOOM: Hex = `0x${"00".repeat(BLOOM_BYTES)}`;

/** The bloom of a block with these logs: three bits for every address and topic. */
export function bloomOf(logs: readonly Pick<NodeLog, "address" | "topics">[]): Uint8Array {
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const value of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const hash = hexToBytes(keccak256(value));
    for (const at of [0, 2, 4]) {
      const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 0x7ff;
      const place = BLOOM_BYTES - 1 - (bit >> 3);
      bloom[place] = (bloom[place] ?? 0) | (1 << (bit & 7));
    }
  }
  return bloom;
}

/** Why `logs`, in the node's order, cannot be the first logs of `block` without a gap; undefined: they can. */
export function findGap(block: Pick<NodeBlock, "hash">, logs: readonly NodeLog[]): string | undefined {
  for (const [place, log] of logs.entries()) {
    if (log.blockHash !== block.hash) return `log ${place} is of block ${log.blockHash}`;
    if (Number(log.logIndex) !== place) return `log ${place} is missing`;
  }
  return undefined;
}

/**
 * How a block's bloom differs from that of its logs. `less`: it lacks some of these logs, which no missing log explains, so that it
 * proves nothing; `more`: it shows logs that are not there.
 */
export type BloomFault = "less" | "more";

/** Undefined: the blooms are the same, or the block has none. */
export function findBloomFault(block: Pick<NodeBlock, "logsBloom">, logs: readonly NodeLog[]): BloomFault | undefined {
  const bloom = hexToBytes(block.logsBloom ?? "0x");
  if (bloom.length !== BLOOM_BYTES) return undefined;
  const made = bloomOf(logs);
  if (bloom.some((byte, place) => (byte & ~(made[place] ?? 0)) !== 0)) return "more";
  return made.some((byte, place) => byte !== bloom[place]) ? "less" : undefined;
}

export interface LogFilter {
  blockHash?: Hex;
  fromBlock?: string;
  toBlock?: string;
  address?: Hex | Hex[] | null;
  topics?: (Hex | Hex[] | null)[] | null;
}

/** Whether `eth_getLogs` with this filter returns the log, apart from its blocks. */
export function matches({ address, topics }: LogFilter, log: NodeLog): boolean {
  const isAmong = (wanted: Hex | Hex[] | null | undefined, value: Hex | undefined): boolean =>
    wanted === null ||
    wanted === undefined ||
    (value !== undefined &&
      (Array.isArray(wanted) ? wanted : [wanted]).some((one) => one.toLowerCase() === value.toLowerCase()));
  const isAnyAddress = Array.isArray(address) && address.length === 0;
  return (
    (isAnyAddress || isAmong(address, log.address)) &&
    (topics ?? []).every((wanted, place) => isAmong(wanted, log.topics[place]))
  );
}

/** The node left logs out, or has another branch by now: it should be asked again. */
export class IncompleteLogsError extends Error {
  override name = "IncompleteLogsError";
  constructor(block: string, problem: string) {
    super(`logs of block ${block} are not complete: ${problem}`);
  }
}
