// Imitates nodes that do less than anvil, in front of a real one: without old states (geth: "missing trie node …", code
// -32000, for all but the last 128 blocks), without batches (a single error object), without eth_simulateV1 (-32601), and ones
// that are busy (HTTP 429).
import { createServer } from "node:http";
import { createPublicClient, type Hex, http } from "viem";

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

interface Refusal {
  code: number;
  message: string;
}

export interface Trouble {
  /** How the node refuses a call; undefined: it passes it on. */
  refuses?: (call: Call) => Refusal | undefined | Promise<Refusal | undefined>;
  takesNoBatches?: boolean;
  /** How many requests are answered with 429 at first. */
  busyFor?: number;
}

export interface TroubledNode {
  url: string;
  requests(): number;
  /** Of calls, by method. */
  refusals: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const missingState: Refusal = {
  code: -32000,
  message: "missing trie node 5f3a… (path ) state 0x5f3a… is not available",
};

export const withoutOldStates = ({ method, params }: Call) =>
  method === "eth_getCode" && params[1] !== "latest" ? missingState : undefined;

/** How many of the newest blocks a node that is no archive has the states of: geth's default. */
export const STATES_OF_FULL_NODE = 128;

/** Which parameter of a method names the block whose state it needs. */
const STATE_PARAMETER: Readonly<Record<string, number>> = {
  ...{ eth_call: 1, eth_estimateGas: 1, eth_simulateV1: 1, eth_createAccessList: 1 },
  ...{ eth_getBalance: 1, eth_getCode: 1, eth_getTransactionCount: 1, eth_getStorageAt: 2, eth_getProof: 2 },
};

/** Keeps the states of the newest `blocks` blocks of `target`, as a full node does. */
export function keepingStates(target: string, blocks: number): NonNullable<Trouble["refuses"]> {
  const client = createPublicClient({ transport: http(target), cacheTime: 0 });
  const numbers = new Map<Hex, Promise<bigint>>();
  const numberOf = (blockHash: Hex): Promise<bigint> => {
    const number = numbers.get(blockHash) ?? client.getBlock({ blockHash }).then((block) => block.number);
    numbers.set(blockHash, number);
    return number;
  };
  const blockOf = async (at: unknown): Promise<bigint | undefined> => {
    if (at === "earliest") return 0n;
    if (typeof at === "string") return at.startsWith("0x") ? BigInt(at) : undefined;
    const { blockHash, blockNumber } = (at ?? {}) as { blockHash?: Hex; blockNumber?: Hex };
    if (blockHash !== undefined) return numberOf(blockHash);
    return blockNumber === undefined ? undefined : BigInt(blockNumber);
  };
  return async ({ method, params }) => {
    const parameter = STATE_PARAMETER[method];
    const block = parameter === undefined ? undefined : await blockOf(params[parameter]);
    if (block === undefined) return undefined;
    return block <= (await client.getBlockNumber()) - BigInt(blocks) ? missingState : undefined;
  };
}

export const withoutSimulation = ({ method }: Call) =>
  method === "eth_simulateV1"
    ? { code: -32601, message: "the method eth_simulateV1 does not exist/is not available" }
    : undefined;

export async function startTroubledNode(target: string, trouble: Trouble): Promise<TroubledNode> {
  let requests = 0;
  const refusals = new Map<string, number>();
  const refusalsOf = async (calls: readonly Call[]): Promise<Map<number, Refusal>> => {
    const refused = new Map<number, Refusal>();
    for (const call of calls) {
      const refusal = await trouble.refuses?.(call);
      if (refusal === undefined) continue;
      refusals.set(call.method, (refusals.get(call.method) ?? 0) + 1);
      refused.set(call.id, refusal);
    }
    return refused;
  };
  const answer = async (text: string): Promise<{ status: number; body: unknown }> => {
    requests++;
    if (requests <= (trouble.busyFor ?? 0)) return { status: 429, body: "busy" };
    const body = JSON.parse(text) as Call | Call[];
    const isBatch = Array.isArray(body);
    if (isBatch && trouble.takesNoBatches)
      return { status: 200, body: { jsonrpc: "2.0", id: 0, error: { code: -32600, message: "batch not supported" } } };
    const calls = isBatch ? body : [body];
    const refused = await refusalsOf(calls);
    const given = await passOn(
      target,
      calls.filter(({ id }) => !refused.has(id)),
    );
    const all = calls.map(({ id }) => {
      const error = refused.get(id);
      return error === undefined ? given.find((one) => one.id === id) : { jsonrpc: "2.0", id, error };
    });
    return { status: 200, body: isBatch ? all : all[0] };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      answer(Buffer.concat(chunks).toString()).then(
        ({ status, body }) => response.writeHead(status, headers).end(JSON.stringify(body)),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: () => requests,
    refusals,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const headers = { "content-type": "application/json" };

async function passOn(target: string, calls: readonly Call[]): Promise<Call[]> {
  if (calls.length === 0) return [];
  const response = await fetch(target, { method: "POST", body: JSON.stringify(calls), headers });
  return (await response.json()) as Call[];
}
