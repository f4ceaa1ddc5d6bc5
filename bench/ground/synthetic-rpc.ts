// Imitates an Ethereum node's JSON-RPC over HTTP, as far as an indexer of logs needs it: blocks with their transactions,
// logs, a head that grows on demand, calls that the made-up chain answers. It verifies and executes nothing.
import { createServer } from "node:http";
import { numberToHex } from "viem";
import { listenLocally } from "../../devnet/local-server.ts";
import { logsBloom } from "./logs-bloom.ts";
import {
  blockHash,
  blockOfHash,
  type Hex,
  indexOfTransaction,
  timestampOf,
  transactionHash,
} from "./synthetic-chain.ts";

const ZERO_HASH: Hex = `0x${"0".repeat(64)}`;
/** A limit like that of public nodes; an indexer splits its range when it gets the error. */
const MOST_LOGS = 50_000;

export interface ServedLog {
  address: Hex;
  topics: Hex[];
  data: Hex;
  /** Index of its transaction in the block; they are numbered without gaps. */
  transaction: number;
  /** The sender of that transaction. */
  from: Hex;
}

/** A chain as the node sees it. */
export interface ServedChain {
  /** The head at the beginning. */
  baseHead: number;
  logsOf(block: number): readonly ServedLog[];
  /** Return data of an `eth_call` with this data; undefined where it reverts. */
  answerCall(data: string): Hex | undefined;
}

interface LogFilter {
  address?: string | string[];
  topics?: (string | string[] | null)[];
  fromBlock?: string;
  toBlock?: string;
  blockHash?: string;
}
interface Request {
  id: number | string;
  method: string;
  params?: unknown[];
}
class RpcFailure extends Error {
  override name = "RpcFailure";
  code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface SyntheticRpc {
  url: string;
  /** Moves the head; blocks above it do not exist yet. */
  setHead(block: number): void;
  /** Requests answered so far, by method; a backfill sends `eth_getLogs by range`. */
  requests: Map<string, number>;
  stop(): Promise<void>;
}

/** Serves `chain` on 127.0.0.1; `port` 0 takes a free one. */
export async function startSyntheticRpc(options: {
  chain: ServedChain;
  chainId: number;
  port: number;
}): Promise<SyntheticRpc> {
  const { chain, chainId, port } = options;
  let head = chain.baseHead;
  const requests = new Map<string, number>();
  const blockNumberOf = (tag: unknown): number => {
    if (tag === "earliest") return 0;
    if (tag === "finalized" || tag === "safe") return Math.max(head - 30, 0);
    return typeof tag === "string" && tag.startsWith("0x") ? Number(tag) : head;
  };
  const blockAt = (number: number, full: boolean) => (number > head ? null : blockObject(chain, { number, full }));
  const rangeOf = (filter: LogFilter): [number, number] => {
    if (filter.blockHash !== undefined) return [blockOfHash(filter.blockHash), blockOfHash(filter.blockHash)];
    return [blockNumberOf(filter.fromBlock), Math.min(blockNumberOf(filter.toBlock), head)];
  };
  const logs = (filter: LogFilter) => {
    const [from, to] = rangeOf(filter);
    const matches = matcherOf(filter);
    const found: unknown[] = [];
    for (let block = from; block <= to; block++) {
      found.push(...logObjects(chain, block).filter(matches));
      if (found.length > MOST_LOGS && to > from)
        throw new RpcFailure(
          -32_602,
          `query exceeds max results ${MOST_LOGS}, retry with the range ${from}-${block - 1}`,
        );
    }
    return found;
  };
  const answer = ({ method, params = [] }: Request): unknown => {
    const kind = (params[0] as LogFilter | undefined)?.fromBlock === undefined ? method : `${method} by range`;
    requests.set(kind, (requests.get(kind) ?? 0) + 1);
    switch (method) {
      case "eth_chainId":
        return numberToHex(chainId);
      case "eth_blockNumber":
        return numberToHex(head);
      case "eth_getBlockByNumber":
        return blockAt(blockNumberOf(params[0]), params[1] === true);
      case "eth_getBlockByHash":
        return blockAt(blockOfHash(String(params[0])), params[1] === true);
      case "eth_getLogs":
        return logs(params[0] as LogFilter);
      case "eth_getTransactionReceipt":
        return receipts(chain, blockOfHash(String(params[0])))[indexOfTransaction(String(params[0]))] ?? null;
      case "eth_getBlockReceipts":
        return receipts(chain, blockOfHash(String(params[0])));
      case "eth_call": {
        const result = chain.answerCall(String((params[0] as { data?: string }).data));
        if (result === undefined) throw new RpcFailure(3, "execution reverted");
        return result;
      }
      default:
        throw new RpcFailure(-32_601, `the method ${method} does not exist`);
    }
  };
  const respond = (request: Request) => {
    try {
      return { jsonrpc: "2.0", id: request.id, result: answer(request) };
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      return { jsonrpc: "2.0", id: request.id, error: { code: error.code, message: error.message } };
    }
  };

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Request | Request[];
      outgoing.setHeader("content-type", "application/json");
      outgoing.end(JSON.stringify(Array.isArray(body) ? body.map(respond) : respond(body)));
    });
  });
  const { url, stop } = await listenLocally(server, port);
  return {
    url,
    setHead(block) {
      chain.logsOf(block);
      head = block;
    },
    requests,
    stop,
  };
}

function matcherOf({ address, topics = [] }: LogFilter) {
  const lower = (value: string | string[]) => new Set([value].flat().map((item) => item.toLowerCase()));
  const addresses = address === undefined ? undefined : lower(address);
  const wanted = topics.map((topic) => (topic == null ? undefined : lower(topic)));
  return (log: { address: string; topics: string[] }) =>
    (addresses?.has(log.address) ?? true) && wanted.every((set, i) => set?.has(log.topics[i] ?? "") ?? true);
}

function logObjects(chain: ServedChain, block: number) {
  const hash = blockHash(block);
  return chain.logsOf(block).map(({ address, topics, data, transaction }, i) => ({
    address,
    topics,
    data,
    blockNumber: numberToHex(block),
    blockHash: hash,
    transactionHash: transactionHash(block, transaction),
    transactionIndex: numberToHex(transaction),
    logIndex: numberToHex(i),
    removed: false,
  }));
}

/** Only the fields of a block's receipts that a check of logs reads. */
function receipts(chain: ServedChain, block: number) {
  const logs = logObjects(chain, block);
  const last = chain.logsOf(block).at(-1)?.transaction ?? -1;
  return Array.from({ length: last + 1 }, (_, index) => {
    const hash = transactionHash(block, index);
    return { transactionHash: hash, logs: logs.filter((log) => log.transactionHash === hash) };
  });
}

function transactionObject({ address, from }: ServedLog, place: { number: number; index: number }) {
  const { number, index } = place;
  return {
    hash: transactionHash(number, index),
    blockHash: blockHash(number),
    blockNumber: numberToHex(number),
    transactionIndex: numberToHex(index),
    from,
    to: address,
    input: "0x",
    value: "0x0",
    nonce: "0x0",
    type: "0x2",
    gas: "0x30d40",
    maxFeePerGas: "0x3b9aca00",
    maxPriorityFeePerGas: "0x0",
    accessList: [],
    r: ZERO_HASH,
    s: ZERO_HASH,
    v: "0x0",
  };
}

function blockObject(chain: ServedChain, { number, full }: { number: number; full: boolean }) {
  const hash = blockHash(number);
  const logs = chain.logsOf(number);
  const firstLogs = logs.filter((log, i) => logs[i - 1]?.transaction !== log.transaction);
  const transactions = firstLogs.map((log, index) =>
    full ? transactionObject(log, { number, index }) : transactionHash(number, index),
  );
  const seen = new Set(logs.flatMap(({ address, topics }) => [address, ...topics]));
  return {
    number: numberToHex(number),
    hash,
    parentHash: number === 0 ? ZERO_HASH : blockHash(number - 1),
    timestamp: numberToHex(timestampOf(number)),
    logsBloom: logsBloom(seen),
    baseFeePerGas: "0x3b9aca00",
    gasLimit: "0x1c9c380",
    gasUsed: numberToHex(logs.length * 30_000),
    miner: "0x0000000000000000000000000000000000000000",
    difficulty: "0x0",
    receiptsRoot: ZERO_HASH,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    sha3Uncles: ZERO_HASH,
    mixHash: ZERO_HASH,
    nonce: "0x0000000000000000",
    size: "0x0",
    extraData: "0x",
    transactions,
  };
}
