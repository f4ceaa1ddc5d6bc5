// Imitates nodes of providers that limit credits a second, and blocks or logs at once, in front of a real one: each refusal in the
// next of their ways, with the words of the issues that are named. Requests that come before a pause is over are counted.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

interface Call {
  id: unknown;
  method: string;
  params?: { fromBlock?: string; toBlock?: string }[];
}

interface Refusal {
  name: string;
  status?: number;
  headers?: Record<string, string>;
  /** Absent: a text that is no JSON. */
  error?: object;
  /** For how long everything is refused, as it says. */
  pauseMs?: number;
}

const PAUSE_MS = 2_000;
const rate = { allowed_rps: 5, backoff_seconds: PAUSE_MS / 1_000, current_rps: 9 };

/** RFC 6585; conduitxyz/node#36; status-go#4807; viem#5083; mud#1522; base/node#368; bsc#1215. */
const TOO_OFTEN: readonly Refusal[] = [
  {
    name: "429 with Retry-After",
    status: 429,
    headers: { "retry-after": String(PAUSE_MS / 1_000) },
    pauseMs: PAUSE_MS,
  },
  { name: "429 alone", status: 429 },
  {
    name: "Alchemy",
    status: 429,
    error: { code: 429, message: "Your app has exceeded its compute units per second capacity." },
  },
  {
    name: "Infura",
    status: 429,
    error: { code: -32005, message: "exceeded project rate limit", data: { rate } },
    pauseMs: PAUSE_MS,
  },
  { name: "QuickNode's requests", error: { code: -32007, message: "15/second request limit reached" } },
  { name: "QuickNode's credits", error: { code: -32012, message: "credits limited to 6000/sec" } },
  { name: "Base", error: { code: -32016, message: "over rate limit" } },
  { name: "BNB", error: { code: -32005, message: "limit exceeded" } },
];

/** INFURA#237; boundless#838; ydata#69; ponder's own list (dRPC); hyperindex#605. */
const tooWide = (from: number, most: number): readonly Refusal[] => [
  { name: "Infura's range", error: { code: -32602, message: `range 5000 exceeds limit of ${most}` } },
  {
    name: "Alchemy's range",
    status: 400,
    error: {
      code: -32600,
      message: `You can make eth_getLogs requests with up to a ${most} block range. Based on your parameters, this block range should work: [0x${from.toString(16)}, 0x${(from + most - 1).toString(16)}]`,
    },
  },
  { name: "Ankr's range", error: { code: -32600, message: "block range is too wide" } },
  { name: "dRPC's range", error: { code: 35, message: `ranges over ${most} blocks are not supported on freetier` } },
  {
    name: "Morph's range",
    error: { code: -32000, message: `block range is larger than max block range, max block range = ${most}` },
  },
];

export interface RefusingNode {
  url: string;
  /** When each request came, and what became of it. */
  requests: { at: number; isGranted: boolean }[];
  /** By the way in which it was refused. */
  refusals: ReadonlyMap<string, number>;
  /** All ways. */
  ways: readonly string[];
  /** Requests that came while the node wanted to be left alone, except those that were under way when it said so. */
  disobeyed(): number;
  stop(): Promise<void>;
}

export interface Limits {
  creditsPerSecond: number;
  /** At most this many requests go well in a row: others ask the node, too. */
  refusesEvery: number;
  /** Blocks of one eth_getLogs. */
  mostBlocks: number;
  /** Logs of one eth_getLogs for more than one block. */
  mostLogs: number;
}

const COSTS: Readonly<Record<string, number>> = { eth_getLogs: 3 };
/** On a machine that has much to do a request is under way for long. */
const UNDER_WAY_MS = 700;

export async function startRefusingNode(target: string, limits: Limits): Promise<RefusingNode> {
  const { creditsPerSecond, refusesEvery, mostBlocks, mostLogs } = limits;
  const requests: RefusingNode["requests"] = [];
  const refusals = new Map<string, number>();
  let [arrived, often, wide, disobeyed] = [0, 0, 0, 0];
  let credits = creditsPerSecond;
  let since = performance.now();
  let pausedAt = 0;
  let closedUntil = 0;

  const next = (list: readonly Refusal[], place: number): Refusal => list[place % list.length] as Refusal;
  const tooOften = (calls: readonly Call[]): Refusal | undefined => {
    const now = performance.now();
    if (now < closedUntil) {
      if (now > pausedAt + UNDER_WAY_MS) disobeyed += 1;
      return { name: "in a pause", status: 429, headers: { "retry-after": "1" } };
    }
    credits = Math.min(credits + ((now - since) / 1_000) * creditsPerSecond, creditsPerSecond);
    since = now;
    arrived += 1;
    const cost = calls.reduce((sum, { method }) => sum + (COSTS[method] ?? 1), 0);
    if (credits >= cost && arrived % refusesEvery !== 0) {
      credits -= cost;
      return undefined;
    }
    const refusal = next(TOO_OFTEN, often);
    often += 1;
    if (refusal.pauseMs !== undefined) [pausedAt, closedUntil] = [now, now + refusal.pauseMs];
    return refusal;
  };
  const tooMuch = ({ method, params: [filter] = [] }: Call): Refusal | undefined => {
    if (method !== "eth_getLogs" || filter?.fromBlock === undefined) return undefined;
    const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
    if (blocks <= mostBlocks) return undefined;
    wide += 1;
    return next(tooWide(Number(filter.fromBlock), mostBlocks), wide - 1);
  };
  /** What the node itself says, unless that is more than it gives at once. */
  const given = async (call: Call, body: string): Promise<Refusal | string> => {
    const text = await (await fetch(target, { method: "POST", headers: json, body })).text();
    const [filter] = call.params ?? [];
    const isRange = call.method === "eth_getLogs" && filter?.fromBlock !== filter?.toBlock;
    const { result } = isRange ? (JSON.parse(text) as { result?: unknown[] }) : {};
    if (result === undefined || result.length <= mostLogs) return text;
    return {
      name: "Infura's results",
      error: { code: -32005, message: `query returned more than ${mostLogs} results` },
    };
  };
  const answer = async (body: string): Promise<Refusal | string> => {
    const calls = [JSON.parse(body)].flat() as Call[];
    const [first] = calls;
    const refusal = tooOften(calls);
    requests.push({ at: performance.now(), isGranted: refusal === undefined });
    if (refusal !== undefined) return refusal;
    if (calls.length > 1 || !first)
      return { name: "batches", error: { code: -32600, message: "batches are not supported on freetier" } };
    return tooMuch(first) ?? (await given(first, body));
  };
  const server = createServer((request, response) => {
    read(request)
      .then(async (body) => {
        const said = await answer(body);
        if (typeof said === "string") return void response.writeHead(200, json).end(said);
        const { name, status = 200, headers, error } = said;
        refusals.set(name, (refusals.get(name) ?? 0) + 1);
        const { id = null } = JSON.parse(body) as { id?: unknown };
        response.writeHead(status, { ...json, ...headers });
        response.end(error ? JSON.stringify({ jsonrpc: "2.0", id, error }) : "slow down");
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refusals,
    ways: [...TOO_OFTEN, ...tooWide(0, 1)].map(({ name }) => name),
    disobeyed: () => disobeyed,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const json = { "content-type": "application/json" };

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
