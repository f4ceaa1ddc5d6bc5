// Imitates a node's JSON-RPC (ethereum/execution-apis): blocks of three transactions with three logs each, whose blooms and
// logs are as a test wants them, with or without batches and eth_getBlockReceipts.
import type { Hex } from "viem";
import { bloomOf, type LogFilter, matches, type NodeBlock, type NodeLog } from "../../../scripts/ponder/block-logs.ts";
import { type BloomCheck, createBlooms } from "../../../scripts/ponder/blooms.ts";
import { checkedFetch } from "../../../scripts/ponder/checked-fetch.ts";

export const word = (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`;
export const quantity = (n: number): Hex => `0x${n.toString(16)}`;
const HASHES = 0xb10c000;
export const hashOf = (number: number): Hex => word(HASHES + number);
const numberOf = (hash: unknown): number => Number(BigInt(hash as Hex)) - HASHES;

export const logsOf = (number: number): NodeLog[] =>
  Array.from({ length: 9 }, (_, i) => ({
    address: `0x${"01".padStart(40, "0")}`,
    topics: [word(7), word(i < 3 ? 1 : 2)],
    blockNumber: quantity(number),
    blockHash: hashOf(number),
    transactionIndex: quantity(Math.floor(i / 3)),
    logIndex: quantity(i),
  }));

export const ZERO_BLOOM: Hex = `0x${"00".repeat(256)}`;
export const hexBloom = (logs: readonly Pick<NodeLog, "address" | "topics">[]): Hex =>
  `0x${Buffer.from(bloomOf(logs)).toString("hex")}`;

export interface MadeNode {
  head: number;
  /** All logs that a block has. */
  logsOf: (number: number) => NodeLog[];
  bloomOf: (number: number) => Hex;
  /** What eth_getLogs gives of them. */
  keeps: (log: NodeLog) => boolean;
  takesBatches: boolean;
  hasBlockReceipts: boolean;
  /** HTTP requests. */
  requests: number;
  calls: string[];
  fetch: typeof fetch;
}

export function makeNode(options: Partial<MadeNode> = {}): MadeNode {
  const receiptsOf = (number: number) =>
    [0, 1, 2].map((index) => ({
      logs: node.logsOf(number).filter(({ transactionIndex }) => Number(transactionIndex) === index),
    }));
  const blockOf = (number: number, isWhole: boolean): NodeBlock => {
    const hashes = [0, 1, 2].map((index) => word(100 * number + index));
    const transactions = isWhole ? hashes.map((hash) => ({ hash })) : hashes;
    const logsBloom = node.bloomOf(number);
    return { number: quantity(number), hash: hashOf(number), logsBloom, transactions: transactions as Hex[] };
  };
  const answers: Record<string, (params: unknown[]) => unknown> = {
    eth_blockNumber: () => quantity(node.head),
    eth_getBlockByHash: ([hash, isWhole]) => blockOf(numberOf(hash), isWhole === true),
    eth_getBlockByNumber: ([number, isWhole]) =>
      blockOf(number === "latest" ? node.head : Number(number), isWhole === true),
    eth_getTransactionReceipt: ([hash]) => {
      const place = Number(BigInt(hash as Hex));
      return receiptsOf(Math.floor(place / 100))[place % 100];
    },
    eth_getLogs: ([filter]) => {
      const { blockHash, fromBlock, toBlock } = filter as LogFilter;
      const from = blockHash ? numberOf(blockHash) : Number(fromBlock);
      const to = blockHash ? from : Number(toBlock);
      const all = Array.from({ length: to - from + 1 }, (_, i) => node.logsOf(from + i)).flat();
      return all.filter((log) => matches(filter as LogFilter, log) && node.keeps(log));
    },
  };
  interface Call {
    id: number;
    method: string;
    params: unknown[];
  }
  const respond = ({ id, method, params }: Call): object => {
    node.calls.push(method);
    const answer =
      method === "eth_getBlockReceipts" && node.hasBlockReceipts
        ? ([hash]: unknown[]) => receiptsOf(numberOf(hash))
        : answers[method];
    const missing = { code: -32601, message: `the method ${method} does not exist/is not available` };
    return { jsonrpc: "2.0", id, ...(answer ? { result: answer(params) } : { error: missing }) };
  };
  const node: MadeNode = {
    head: 1_000,
    logsOf,
    bloomOf: (number) => hexBloom(node.logsOf(number)),
    keeps: () => true,
    takesBatches: true,
    hasBlockReceipts: true,
    requests: 0,
    calls: [],
    async fetch(input, init) {
      node.requests += 1;
      const body = JSON.parse(await new Request(input, init).text()) as Call | Call[];
      if (!Array.isArray(body)) return Response.json(respond(body));
      if (node.takesBatches) return Response.json(body.map(respond));
      const error = { code: -32600, message: "batch not supported" };
      return Response.json({ jsonrpc: "2.0", id: null, error });
    },
    ...options,
  };
  return node;
}

/** What Ponder hears of it. */
export function openChecked(node: MadeNode, check: BloomCheck = "learn") {
  const said: string[] = [];
  const blooms = createBlooms(check, ({ reason }) => said.push(reason));
  const nodeUrl = "http://node.test/key";
  const fetchIt = checkedFetch(node.fetch, { nodeUrl, blooms, warn: (line) => said.push(line) });
  const call = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 4, method, params });
    const response = await fetchIt(new Request(nodeUrl, { method: "POST", body }));
    return (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
  };
  return {
    said,
    blooms,
    call,
    /** How many logs of a block are taken; what is said instead. */
    async logsAt(number: number): Promise<number | string | undefined> {
      const { result, error } = await call("eth_getLogs", [{ blockHash: hashOf(number) }]);
      return error?.message ?? (result as NodeLog[]).length;
    },
  };
}
