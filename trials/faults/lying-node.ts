// Stands between the product and its node, and lies for a while on request: as nodes do when they are overloaded,
// behind a load balancer, or not done with a block yet. It never makes up a block.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listenLocally } from "../../devnet/local-server.ts";

export const LIES = [
  "silence",
  "older head",
  "newer head",
  "null",
  "partial logs",
  "too many requests",
  "oversize",
  "hung up",
  "garbage",
] as const;
export type Lie = (typeof LIES)[number];

export interface LyingNode {
  url: string;
  /** Sets the lie from now on; undefined: the truth. */
  setLie(lie: Lie | undefined): void;
  /** Answers that were lies, by kind. */
  lies: Map<Lie, number>;
  stop(): Promise<void>;
}

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

interface Question {
  call: Call;
  body: string;
  response: ServerResponse;
}

const LONGEST_SILENCE_MS = 12_000;
/** Share of the requests that a lie concerns which get the lie. */
const SHARE = 0.6;
const BLOCKS = new Set(["eth_getBlockByNumber", "eth_getBlockByHash"]);

export async function startLyingNode(
  target: string,
  { port, random }: { port: number; random: () => number },
): Promise<LyingNode> {
  let lie: Lie | undefined;
  let liedSince = 0;
  const counts = new Map<Lie, number>();

  const forward = async (body: string): Promise<string> =>
    (await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body })).text();
  const ask = async (method: string, params: unknown[]): Promise<unknown> => {
    const answer = await forward(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    return (JSON.parse(answer) as { result?: unknown }).result;
  };
  const reply = ({ response, call }: Question, answer: object): void => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", ...answer, id: call.id }));
  };
  const untilChanged = async (since: number): Promise<void> => {
    while (liedSince === since && Date.now() < since + LONGEST_SILENCE_MS) await sleep(50);
  };

  /** Each resolves to whether it has answered: requests that a lie does not concern are passed on. */
  const lies: Record<Lie, (question: Question) => Promise<boolean>> = {
    async silence() {
      await untilChanged(liedSince);
      return false;
    },
    async "older head"(question) {
      const { method, params } = question.call;
      const older = Math.max(0, Number(await ask("eth_blockNumber", [])) - 3);
      const number = Number(params[0]);
      if (method === "eth_blockNumber") reply(question, { result: `0x${older.toString(16)}` });
      else if (method === "eth_getBlockByNumber" && params[0] === "latest")
        reply(question, { result: await ask(method, [`0x${older.toString(16)}`, ...params.slice(1)]) });
      else if (method === "eth_getBlockByNumber" && number > older) reply(question, { result: null });
      else return false;
      return true;
    },
    async "newer head"(question) {
      if (question.call.method !== "eth_blockNumber") return false;
      const newer = Number(await ask("eth_blockNumber", [])) + (random() < 0.5 ? 5 : 1_000_000);
      reply(question, { result: `0x${newer.toString(16)}` });
      return true;
    },
    async null(question) {
      if (!BLOCKS.has(question.call.method) && !/Logs|Receipt/.test(question.call.method)) return false;
      reply(question, { result: null });
      return true;
    },
    async "partial logs"(question) {
      if (question.call.method !== "eth_getLogs") return false;
      const { result } = JSON.parse(await forward(question.body)) as { result?: unknown };
      if (!Array.isArray(result) || result.length === 0) return false;
      if (random() < 0.5) reply(question, { result: result.slice(0, Math.floor(random() * result.length)) });
      else reply(question, { result: result.filter(() => random() < 0.7) });
      return true;
    },
    async "too many requests"({ response }) {
      response.writeHead(429, { "content-type": "text/plain", "retry-after": "1" }).end("slow down");
      return true;
    },
    async oversize(question) {
      if (question.call.method !== "eth_getLogs") return false;
      reply(question, { error: { code: -32005, message: "query returned more than 10000 results" } });
      return true;
    },
    async "hung up"({ response }) {
      response.destroy();
      return true;
    },
    async garbage({ response }) {
      const isHtml = random() < 0.5;
      response.writeHead(isHtml ? 502 : 200, { "content-type": "text/html" });
      response.end(isHtml ? "<html>bad gateway</html>" : '{"jsonrpc":"2.0","result":{"num');
      return true;
    },
  };

  const answer = async (question: Question): Promise<void> => {
    const chosen = lie !== undefined && random() < SHARE ? lie : undefined;
    if (chosen !== undefined) {
      const isLie = await lies[chosen](question);
      if (isLie || chosen === "silence") counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
      if (isLie) return;
    }
    question.response.setHeader("content-type", "application/json");
    question.response.end(await forward(question.body));
  };
  const server = createServer((request, response) => {
    read(request)
      .then((body) => answer({ body, response, call: JSON.parse(body) as Call }))
      .catch(() => response.destroy());
  });
  const { url, stop } = await listenLocally(server, port);
  return {
    url,
    lies: counts,
    setLie(next) {
      lie = next;
      liedSince = Date.now();
    },
    async stop() {
      lie = undefined;
      liedSince = 0;
      await stop();
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
