// What happened, block by block, as signed transactions: a new anvil that executes them again has the same chain, with the same
// hashes, and can be asked about every block of it.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  formatTransaction,
  type Hash,
  type Hex,
  numberToHex,
  serializeTransaction,
  type TransactionSerializable,
} from "viem";
import { postBatch, postInOrder, postOne } from "./json-rpc.ts";

interface Entry {
  number: number;
  hash: Hash;
  timestamp: number;
  transactions: Hex[];
}

const BLOCKS_PER_BATCH = 50;
const fileIn = (dir: string): string => join(dir, "journal.ndjson");

type RpcBlock = { number: Hex; hash: Hash; timestamp: Hex; transactions: Parameters<typeof formatTransaction>[0][] };

function rawOf(transaction: RpcBlock["transactions"][number]): Hex {
  const { r, s, v, yParity, input, ...rest } = formatTransaction(transaction);
  const signature = { r, s, ...(yParity === undefined ? { v } : { yParity }) };
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, ...body } = rest;
  // A node shows a gas price for every kind; only the older kinds are signed over it.
  const fees =
    rest.type === "eip1559" || rest.type === "eip7702" ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice };
  return serializeTransaction({ ...body, ...fees, data: input } as TransactionSerializable, signature as never);
}

/** Writes the blocks 1 to `upTo`; a journal that is not written completely does not exist. */
export async function writeJournal(dir: string, rpcUrl: string, upTo: number): Promise<void> {
  const lines: string[] = [];
  for (let first = 1; first <= upTo; first += BLOCKS_PER_BATCH) {
    const count = Math.min(BLOCKS_PER_BATCH, upTo - first + 1);
    const numbers = Array.from({ length: count }, (_, index) => numberToHex(first + index));
    const blocks = await postBatch(
      rpcUrl,
      numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [number, true] })),
    );
    for (const block of blocks as (RpcBlock | Error)[]) {
      if (block instanceof Error) throw block;
      const entry: Entry = {
        number: Number(block.number),
        hash: block.hash,
        timestamp: Number(block.timestamp),
        transactions: block.transactions.map(rawOf),
      };
      lines.push(JSON.stringify(entry));
    }
  }
  writeFileSync(`${fileIn(dir)}.new`, lines.map((line) => `${line}\n`).join(""));
  renameSync(`${fileIn(dir)}.new`, fileIn(dir));
}

export function dropJournal(dir: string): void {
  rmSync(fileIn(dir), { force: true });
}

/** The written blocks, in order; undefined when there is no journal. */
export function readJournal(dir: string): Entry[] | undefined {
  if (!existsSync(fileIn(dir))) return undefined;
  return readFileSync(fileIn(dir), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
}

export interface Replay {
  rpcUrl: string;
  entries: readonly Entry[];
  onProgress: ((fraction: number) => void) | undefined;
}

/**
 * Seals `entries` again on an empty chain; false when a block comes out differently. A block's hash covers its parent's, so only
 * some of the blocks are compared.
 */
export async function replayJournal({ rpcUrl, entries, onProgress }: Replay): Promise<boolean> {
  for (const [index, { number, hash, timestamp, transactions }] of entries.entries()) {
    // One block at a time: anvil keeps no order across a block's sealing.
    await postInOrder(rpcUrl, [
      ...transactions.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] })),
      { method: "evm_setNextBlockTimestamp", params: [timestamp] },
      { method: "evm_mine", params: [] },
    ]);
    if (index % BLOCKS_PER_BATCH !== 0 && index !== entries.length - 1) continue;
    const block = await postOne<{ hash: Hash } | null>(rpcUrl, "eth_getBlockByNumber", [numberToHex(number), false]);
    if (block?.hash !== hash) return false;
    onProgress?.((index + 1) / entries.length);
  }
  return true;
}
