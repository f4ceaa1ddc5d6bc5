// Imitates nodes that do less than anvil, in front of a real one: without old states (geth: "missing trie node …", code
// -32000), without batches (a single error object), without eth_simulateV1 (-32601), and ones that are busy (HTTP 429).
import { createServer } from "node:http";

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

export interface Trouble {
  /** How the node refuses a call; undefined: it passes it on. */
  refuses?: (call: Call) => { code: number; message: string } | undefined;
  takesNoBatches?: boolean;
  /** So many requests are answered with 429 first. */
  busyFor?: number;
}

export interface TroubledNode {
  url: string;
  requests(): number;
  stop(): Promise<void>;
}

export const withoutOldStates = ({ method, params }: Call) =>
  method === "eth_getCode" && params[1] !== "latest"
    ? { code: -32000, message: "missing trie node 5f3a… (path ) state 0x5f3a… is not available" }
    : undefined;

export const withoutSimulation = ({ method }: Call) =>
  method === "eth_simulateV1"
    ? { code: -32601, message: "the method eth_simulateV1 does not exist/is not available" }
    : undefined;

export async function startTroubledNode(target: string, trouble: Trouble): Promise<TroubledNode> {
  let requests = 0;
  const answer = async (text: string): Promise<{ status: number; body: unknown }> => {
    requests++;
    if (requests <= (trouble.busyFor ?? 0)) return { status: 429, body: "busy" };
    const body = JSON.parse(text) as Call | Call[];
    const isBatch = Array.isArray(body);
    if (isBatch && trouble.takesNoBatches)
      return { status: 200, body: { jsonrpc: "2.0", id: 0, error: { code: -32600, message: "batch not supported" } } };
    const calls = isBatch ? body : [body];
    const refused = new Map(calls.map((call) => [call.id, trouble.refuses?.(call)]));
    const passed = calls.filter(({ id }) => refused.get(id) === undefined);
    const given = (await (
      await fetch(target, { method: "POST", body: JSON.stringify(passed), headers })
    ).json()) as Call[];
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
      void answer(Buffer.concat(chunks).toString()).then(({ status, body }) => {
        response.writeHead(status, headers).end(JSON.stringify(body));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: () => requests,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const headers = { "content-type": "application/json" };
