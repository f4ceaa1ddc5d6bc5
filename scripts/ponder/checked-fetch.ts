// `fetch` for one node: passes everything on, and compares every answer to eth_getLogs near the head with the blocks.
import { z } from "zod";
import { pacedFetch } from "../../fold/node/paced-fetch.ts";
import { type LogFilter, matches, type NodeLog } from "./block-logs.ts";
import type { Blooms } from "./blooms.ts";
import { createLogRanges } from "./log-range.ts";
import { createNodeCalls, NodeBusyError } from "./node-calls.ts";
import { createReceipts } from "./receipts.ts";
import { CHECKED_BLOCKS, createRecentBlocks, type RecentBlocks } from "./recent-blocks.ts";
import { createWholeLogs, type WholeLogs } from "./whole-logs.ts";

const TOO_MANY_REQUESTS = 429;
const NOT_FOUND = 404;
/** Most blocks remembered whose logs were taken although their bloom differs, which Ponder would object to. */
const MOST_OVERRULED = 1_000;

const callSchema = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()) });
const answerSchema = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });
type Call = z.infer<typeof callSchema>;
type Fetch = typeof fetch;

export interface CheckedNode {
  nodeUrl: string;
  blooms: Blooms;
  warn: (msg: string) => void;
}

/** Replaces the process's own `fetch`. */
export function installCheckedFetch(node: CheckedNode): void {
  globalThis.fetch = checkedFetch(globalThis.fetch, node);
}

export function checkedFetch(plain: Fetch, { nodeUrl, blooms, warn }: CheckedNode): Fetch {
  const node = new URL(nodeUrl).href;
  const paced = pacedFetch(plain, { warn });
  const ask = createNodeCalls(paced, node);
  const overruled = new Set<string>();
  const recent = createRecentBlocks(ask, (hash) => !blooms.areProof || overruled.has(hash));
  const overrule = (hash: string): void => {
    if (overruled.size > MOST_OVERRULED) overruled.clear();
    overruled.add(hash);
  };
  const logs = createWholeLogs({ ask, blooms, receipts: createReceipts(ask), recent, warn, overrule });
  const ranges = createLogRanges();

  /** The logs of two blocks, of which the node does not give both at once. */
  const ofEach = async ({ id, params }: Call): Promise<Response> => {
    const [filter] = params as [LogFilter];
    const { fromBlock, toBlock } = filter;
    try {
      const each = await Promise.all(
        [fromBlock, toBlock].map((number) => ask("eth_getLogs", [{ ...filter, fromBlock: number, toBlock: number }])),
      );
      return Response.json({ jsonrpc: "2.0", id, result: each.flat() });
    } catch (error) {
      if (error instanceof NodeBusyError) return busy();
      // on words for "too much" that it knows, Ponder would ask for ranges of no block at all
      return refusal(id, `the node refuses the logs of blocks ${Number(fromBlock)} and ${Number(toBlock)}`);
    }
  };
  /**
   * Whether the node refuses the logs of a block because the chain has replaced it. Ponder would ask ten times, for a
   * minute, and take no other block meanwhile; a 404 it does not repeat.
   */
  const isGone = async ({ params }: Call, body: string): Promise<boolean> => {
    const [{ blockHash }] = params as [LogFilter];
    if (blockHash === undefined || !body.includes('"error"') || resultOf(body) !== undefined) return false;
    return (await ask("eth_getBlockByHash", [blockHash, false]).catch(() => undefined)) === null;
  };
  /** The answer in place of logs that are not complete; undefined: they are complete. */
  const refusalOf = async (call: Call, given: NodeLog[]): Promise<Response | undefined> => {
    const [filter] = call.params as [LogFilter];
    try {
      const problem = await findProblem({ filter, given, logs, recent });
      return problem === undefined ? undefined : refusal(call.id, problem);
    } catch (error) {
      return error instanceof NodeBusyError ? busy() : refusal(call.id, String(error));
    }
  };
  /** The node's answer, or the one in its place. Refusals, errors and nonsense are left to Ponder to judge. */
  const checked = async (call: Call, answer: Response): Promise<Response> => {
    const { status, headers, ok } = answer;
    const text = await answer.text();
    const [filter] = call.params as [LogFilter];
    if (ok && (await isGone(call, text))) return new Response("replaced", { status: NOT_FOUND });
    const tooMuch = ranges.judge(filter, { status, headers, text });
    if (tooMuch === "split") return checked(call, await ofEach(call));
    if (tooMuch === "halve") return refusal(call.id, "block range too large");
    const given = ok ? resultOf(text) : undefined;
    const refused = Array.isArray(given) ? await refusalOf(call, given) : undefined;
    return refused ?? new Response(text, { status, headers: { "content-type": "application/json" } });
  };
  return async (input, init) => {
    const request = new Request(input, init);
    if (request.url !== node || request.method !== "POST") return plain(request);
    const { headers, signal } = request;
    const text = await request.text();
    const answer = await paced(node, { method: "POST", headers, body: text, signal });
    // Every request passes here: only those for logs and blocks are read.
    if (text.includes('"eth_getBlockBy')) return recent.pass(text, answer);
    if (!text.includes('"eth_getLogs"')) return answer;
    const call = callSchema.safeParse(JSON.parse(text));
    return call.success && call.data.method === "eth_getLogs" ? checked(call.data, answer) : answer;
  };
}

const refusal = (id: unknown, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id, error: { code: -32000, message } });

/** In the words that make Ponder slow down. */
const busy = (): Response => new Response("too many requests", { status: TOO_MANY_REQUESTS });

function resultOf(body: string): unknown {
  try {
    const answer = answerSchema.parse(JSON.parse(body));
    return answer.error === undefined ? answer.result : undefined;
  } catch {
    return undefined;
  }
}

interface Given {
  filter: LogFilter;
  given: NodeLog[];
  logs: WholeLogs;
  recent: RecentBlocks;
}

/** What is wrong with an answer; undefined: nothing, or it is too old to be checked. */
async function findProblem({ filter, given, logs, recent }: Given): Promise<string | undefined> {
  if (filter.blockHash !== undefined) {
    const isAll = !filter.address && !filter.topics;
    const whole = (await logs.ofBlock(filter.blockHash, isAll ? given : undefined)).filter((log) =>
      matches(filter, log),
    );
    return whole.length === given.length ? undefined : `${given.length} of ${whole.length} logs were given`;
  }
  const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
  if (!Number.isInteger(from) || !Number.isInteger(to)) return undefined;
  const checkedFrom = Math.max(from, (await recent.headFor(to)) - CHECKED_BLOCKS);
  if (checkedFrom > to) return undefined;
  const whole = await logs.ofRange(filter, { from: checkedFrom, to });
  const places = new Set(given.map(placeOf));
  const missing = whole.filter((log) => !places.has(placeOf(log)));
  const near = given.filter(({ blockNumber }) => Number(blockNumber) >= checkedFrom);
  return missing.length === 0 && near.length === whole.length
    ? undefined
    : `${near.length} logs were given where blocks ${checkedFrom} to ${to} have ${whole.length}`;
}

const placeOf = ({ blockHash, logIndex }: NodeLog): string => `${blockHash} ${Number(logIndex)}`;
