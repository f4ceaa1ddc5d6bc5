// Stands between the product and its node, passes everything on, and counts what it answers; refuses what is above a rate, as
// shared nodes do. A request whose sender gives up before the answer and sends it again, as on a busy machine, counts once.
import { createServer, type IncomingMessage } from "node:http";
import { listenLocally } from "../../devnet/local-server.ts";

export interface Counts {
  /** Requests by kind: the method, and where one method serves several purposes, also the purpose. */
  byKind: Map<string, number>;
  /** Ranges of blocks whose logs were asked for, each once, with how many requests there were for it. */
  ranges: Map<string, number>;
  refused: number;
  /** HTTP requests that were answered: a batch is one. */
  http: number;
}

export interface CountingNode {
  url: string;
  /** The counts since the start or the last call; counting begins again. */
  take(): Counts;
  stop(): Promise<void>;
}

interface Call {
  method: string;
  params?: unknown[];
}

/** `perSecond`: more requests than that are answered with 429, and counted only as refused. */
export async function startCountingNode(
  target: string,
  { port = 0, perSecond = Number.POSITIVE_INFINITY }: { port?: number; perSecond?: number } = {},
): Promise<CountingNode> {
  let counts = emptyCounts();
  let granted = perSecond;
  let since = performance.now();
  /** At most a second's worth may come at once. */
  const isGranted = (): boolean => {
    const now = performance.now();
    granted = Math.min(granted + ((now - since) / 1000) * perSecond, perSecond);
    since = now;
    if (granted < 1) return false;
    granted -= 1;
    return true;
  };
  const server = createServer(async (request, response) => {
    try {
      const body = await textOf(request);
      if (!isGranted()) {
        counts.refused += 1;
        response.writeHead(429, { "retry-after": "1" }).end("too many requests");
        return;
      }
      const answer = await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body });
      const text = await answer.text();
      if (response.destroyed) return;
      counts.http += 1;
      for (const call of [JSON.parse(body)].flat() as Call[]) count(counts, call);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    } catch {
      response.destroy();
    }
  });
  const { url, stop } = await listenLocally(server, port);
  return {
    url,
    take() {
      const taken = counts;
      counts = emptyCounts();
      return taken;
    },
    stop,
  };
}

const emptyCounts = (): Counts => ({ byKind: new Map(), ranges: new Map(), refused: 0, http: 0 });

const add = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);

function count(counts: Counts, call: Call): void {
  add(counts.byKind, kindOf(call));
  const [filter] = (call.params ?? []) as [{ fromBlock?: string; toBlock?: string } | undefined];
  if (kindOf(call) === KINDS.logs && filter !== undefined)
    add(counts.ranges, `${Number(filter.fromBlock)}-${Number(filter.toBlock)}`);
}

/** Kinds that the plan distinguishes. */
export const KINDS = {
  poll: "eth_getBlockByNumber of the head",
  block: "eth_getBlockByNumber",
  logs: "eth_getLogs of a range",
  head: "eth_blockNumber",
  tokens: "eth_call of many",
  settings: "eth_call at a block",
} as const;

function kindOf({ method, params = [] }: Call): string {
  const [first, second] = params;
  if (method === "eth_getBlockByNumber") {
    if (first === "latest") return KINDS.poll;
    // Ponder takes blocks with their transactions; the check of logs takes headers
    return second === true ? KINDS.block : "eth_getBlockByNumber of a header";
  }
  if (method === "eth_getLogs") return logsKindOf(Object(first));
  if (method !== "eth_call") return method;
  // viem sends a multicall's own code where the chain has no contract for it
  if ((first as { to?: string }).to == null) return KINDS.tokens;
  return second === "latest" || second === undefined ? "eth_call of the newest state" : KINDS.settings;
}

/** Ponder asks for some events of a range, the check of logs for all of them. */
function logsKindOf(filter: object): string {
  if ("blockHash" in filter) return "eth_getLogs of a block";
  return "topics" in filter ? KINDS.logs : "eth_getLogs of a range, all of them";
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Requests of one kind. */
export const countOf = ({ byKind }: Counts, kind: string): number => byKind.get(kind) ?? 0;

export const sumOf = ({ byKind }: Counts): number => [...byKind.values()].reduce((sum, one) => sum + one, 0);
