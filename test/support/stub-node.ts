// Imitates a node's JSON-RPC server (ethereum/execution-apis): chain id, head and blocks by number. Contracts answer nothing.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface Call {
  method: string;
  params?: unknown[];
}

interface Says {
  chainId: number;
  head: number;
  hashAt: (block: number) => string;
  status: number;
  /** Whether the caller waits for an answer until it gives up. */
  ignores: (call: Call) => boolean;
}

export interface StubNode {
  url: string;
  /** What it says from now on. */
  says: Says;
  /** Refuses connections until `open`. */
  close(): Promise<void>;
  open(): Promise<void>;
}

export type FirstSays = Pick<Says, "chainId" | "head" | "hashAt"> & Partial<Says>;

export async function startStubNode(says: FirstSays): Promise<StubNode> {
  const node = { url: "", says: { status: 200, ignores: () => false, ...says } } as StubNode;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const answer = ({ method, params }: Call): object => {
    const { chainId, head, hashAt } = node.says;
    if (method === "eth_chainId") return { result: hex(chainId) };
    if (method === "eth_blockNumber") return { result: hex(head) };
    if (method !== "eth_getBlockByNumber") return { error: { code: -32000, message: "no state here" } };
    const block = Number(params?.[0]);
    return {
      result: block > head ? null : { number: hex(block), hash: hashAt(block), timestamp: "0x1", transactions: [] },
    };
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const call = JSON.parse(body) as Call & { id: number };
    if (node.says.ignores(call)) return;
    response.writeHead(node.says.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...answer(call) }));
  });
  node.open = () => {
    const port = node.url === "" ? 0 : Number(new URL(node.url).port);
    return new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  };
  node.close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await node.open();
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}
