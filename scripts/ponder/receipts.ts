// The receipts of a block's transactions, in as few requests as the node allows.
import type { Hex } from "viem";
import { IncompleteLogsError, type NodeBlock, type NodeLog } from "./block-logs.ts";
import { type Ask, NodeBusyError } from "./node-calls.ts";

interface Receipt {
  logs: Partial<NodeLog>[];
}

export interface Receipts {
  /** What is missing of the logs of transaction `from` and those after it, as far as the node shows it at moderate cost. */
  findMissing(block: NodeBlock, logs: readonly NodeLog[], from: number): Promise<string | undefined>;
  /** The same by the receipt of every transaction; `unknown` where they are too many to be asked for one by one. */
  findMissingOfAll(block: NodeBlock, logs: readonly NodeLog[]): Promise<string | undefined | "unknown">;
}

/** More receipts than this are not asked for one by one. */
const MOST_RECEIPTS = 8;
/** The limit while a chain's blooms are being judged, which takes a few blocks. */
const MOST_FOR_JUDGING = 500;
const UNKNOWN_METHOD =
  /-32601|not (exist|found|available|support|allow|whitelist)|unsupported|disabled|no such method/i;

export function createReceipts(ask: Ask): Receipts {
  let hasBlockReceipts = true;

  /** Undefined: the node cannot give all receipts of a block at once. */
  const ofBlock = async ({ hash }: NodeBlock): Promise<Receipt[] | undefined> => {
    if (!hasBlockReceipts) return undefined;
    try {
      return ((await ask("eth_getBlockReceipts", [hash])) as Receipt[] | null) ?? undefined;
    } catch (error) {
      if (error instanceof NodeBusyError) throw error;
      hasBlockReceipts = !UNKNOWN_METHOD.test(String(error));
      return undefined;
    }
  };
  const oneByOne = (transactions: readonly Hex[]) =>
    Promise.all(
      transactions.map((transaction) => ask("eth_getTransactionReceipt", [transaction]) as Promise<Receipt | null>),
    );
  /** Of transaction `from` and those after it; of `from` alone where they are more than `most` and the node cannot give all at once. */
  const receiptsFrom = async (block: NodeBlock, from: number, most: number): Promise<(Receipt | null)[]> => {
    const wanted = block.transactions.slice(from);
    if (wanted.length <= 1) return oneByOne(wanted);
    const all = await ofBlock(block);
    if (all?.length === block.transactions.length) return all.slice(from);
    return oneByOne(wanted.length <= most ? wanted : wanted.slice(0, 1));
  };
  return {
    async findMissing(block, logs, from) {
      return missingOf(await receiptsFrom(block, from, MOST_RECEIPTS), { block, logs, from });
    },
    async findMissingOfAll(block, logs) {
      const receipts = await receiptsFrom(block, 0, MOST_FOR_JUDGING);
      if (receipts.length < block.transactions.length) return "unknown";
      return missingOf(receipts, { block, logs, from: 0 });
    },
  };
}

interface Given {
  block: NodeBlock;
  logs: readonly NodeLog[];
  from: number;
}

/** @throws IncompleteLogsError where the node has no receipt of a transaction */
function missingOf(receipts: readonly (Receipt | null)[], { block, logs, from }: Given): string | undefined {
  if (receipts.some((receipt) => !receipt)) throw new IncompleteLogsError(block.hash, "the node has no receipts of it");
  const expected = receipts.flatMap((receipt) => receipt?.logs ?? []);
  const given = logs.filter(({ transactionIndex }) => Number(transactionIndex) >= from);
  const places = new Set(given.map(({ logIndex }) => Number(logIndex)));
  const unseen = expected.filter(({ logIndex }) => logIndex !== undefined && !places.has(Number(logIndex)));
  const missing = Math.max(expected.length - given.length, unseen.length);
  return missing > 0 ? `${missing} logs are missing that its receipts have` : undefined;
}
