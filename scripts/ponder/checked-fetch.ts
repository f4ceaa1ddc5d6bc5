// `fetch` for one node: passes everything on, and holds every answer to eth_getLogs near the head against the blocks.
import { z } from "zod";
import { type LogFilter, matches, type NodeLog } from "./block-logs.ts";
import { type Ask, createWholeLogs, type WholeLogs } from "./whole-logs.ts";

/** Blocks below the head whose logs are checked; older ones have been served by nodes for long. */
const CHECKED_BLOCKS = 128;
const TIMEOUT_MS = 10_000;
const TOO_OFTEN = 429;

const callSchema = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()) });
const answerSchema = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });
type Call = z.infer<typeof callSchema>;
type Fetch = typeof fetch;

/** Replaces the process's own `fetch`. */
export function installCheckedFetch(nodeUrl: string): void {
  const warn = (msg: string) => console.log(JSON.stringify({ level: 40, time: Date.now(), msg }));
  globalThis.fetch = checkedFetch(globalThis.fetch, { nodeUrl, warn });
}

export function checkedFetch(plain: Fetch, { nodeUrl, warn }: { nodeUrl: string; warn: (msg: string) => void }): Fetch {
  const node = new URL(nodeUrl).href;
  const ask = askOf(plain, node);
  const logs = createWholeLogs(ask, warn);
  /** What is wrong with an answer. Refusals, errors and nonsense are Ponder's own to judge. */
  const judge = async (call: Call, body: string, { ok, status }: Response): Promise<string | undefined> => {
    // what comes too often is Ponder's own to slow down
    const refusal = status === TOO_OFTEN ? undefined : refusalOfTwo(call, body);
    if (refusal !== undefined) return refusal;
    const given = ok ? resultOf(body) : undefined;
    if (!Array.isArray(given)) return undefined;
    const [filter] = call.params as [LogFilter];
    return findProblem({ filter, given, logs, ask }).catch(String);
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
  return async (input, init) => {
    const request = new Request(input, init);
    if (request.url !== node || request.method !== "POST") return plain(request);
    const { headers, signal } = request;
    const text = await request.text();
    const pass = () => plain(node, { method: "POST", headers, body: text, signal });
    // Every question passes here: only those for logs are read.
    if (!text.includes('"eth_getLogs"')) return pass();
    const call = callSchema.safeParse(JSON.parse(text));
    if (!call.success || call.data.method !== "eth_getLogs") return pass();
    const response = await pass();
    const body = await response.text();
    if (response.ok && (await isGone(call.data, body))) return new Response("replaced", { status: 404 });
    const problem = await judge(call.data, body, response);
    if (problem !== undefined)
      return Response.json({ jsonrpc: "2.0", id: call.data.id, error: { code: -32000, message: problem } });
    return new Response(body, { status: response.status, headers: { "content-type": "application/json" } });
  };
}

function resultOf(body: string): unknown {
  try {
    const answer = answerSchema.parse(JSON.parse(body));
    return answer.error === undefined ? answer.result : undefined;
  } catch {
    return undefined;
  }
}

/** Words of nodes that give less at once. */
const TOO_MUCH = /range|limit|results|too (large|many|wide)|size|threshold|exceed|distance|healthy/i;

/**
 * What to say instead of a node's "too much" for two blocks. Ponder 0.17.7 answers it by asking for none at a time, for ever
 * (sync-historical `syncLogsDynamic`, `getChunks`); an error in other words it retries.
 */
function refusalOfTwo({ params }: Call, body: string): string | undefined {
  const [{ fromBlock, toBlock }] = params as [LogFilter];
  const isTooMuch = TOO_MUCH.test(body) && !body.includes(`"code":${TOO_OFTEN}`);
  if (Number(toBlock) - Number(fromBlock) !== 1 || resultOf(body) !== undefined || !isTooMuch) return undefined;
  return `the node refuses the logs of blocks ${Number(fromBlock)} and ${Number(toBlock)}`;
}

interface Given {
  filter: LogFilter;
  given: NodeLog[];
  logs: WholeLogs;
  ask: Ask;
}

/** What is wrong with an answer; undefined: nothing, or it is too old to be looked at. */
async function findProblem({ filter, given, logs, ask }: Given): Promise<string | undefined> {
  if (filter.blockHash !== undefined) {
    const isAll = !filter.address && !filter.topics;
    const whole = (await logs.ofBlock(filter.blockHash, isAll ? given : undefined)).filter((log) =>
      matches(filter, log),
    );
    return whole.length === given.length ? undefined : `${given.length} of ${whole.length} logs were given`;
  }
  const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
  if (!Number.isInteger(from) || !Number.isInteger(to)) return undefined;
  const checkedFrom = Math.max(from, Number(await ask("eth_blockNumber", [])) - CHECKED_BLOCKS);
  if (checkedFrom > to) return undefined;
  const whole = await logs.ofRange(filter, { from: checkedFrom, to });
  const places = new Set(given.map(placeOf));
  const missing = whole.filter((log) => !places.has(placeOf(log)));
  const recent = given.filter(({ blockNumber }) => Number(blockNumber) >= checkedFrom);
  return missing.length === 0 && recent.length === whole.length
    ? undefined
    : `${recent.length} logs were given where blocks ${checkedFrom} to ${to} have ${whole.length}`;
}

const placeOf = ({ blockHash, logIndex }: NodeLog): string => `${blockHash} ${Number(logIndex)}`;

function askOf(plain: Fetch, node: string): Ask {
  return async (method, params) => {
    const response = await plain(node, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { result, error } = answerSchema.parse(await response.json());
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}
