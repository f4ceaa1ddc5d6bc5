// JSON-RPC calls of the check itself. Calls of the same moment go as one request where the node takes batches, as the first one shows.
import { z } from "zod";

/** One call; resolves to its result. @throws NodeBusyError; Error with the node's message */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

const answerSchema = z.object({
  id: z.unknown(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
const batchSchema = z.array(answerSchema.extend({ id: z.number() }));
type Answer = z.infer<typeof answerSchema>;

interface Call {
  method: string;
  params: readonly unknown[];
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

const TIMEOUT_MS = 10_000;
const TOO_MANY_REQUESTS = 429;
/** Nodes that take batches limit their size. */
const MOST_AT_ONCE = 20;

export function createNodeCalls(fetchIt: typeof fetch, url: string): Ask {
  let takesBatches = true;
  let pending: Call[] = [];

  const post = async (body: object): Promise<unknown> => {
    const response = await fetchIt(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === TOO_MANY_REQUESTS) throw new NodeBusyError();
    return response.json();
  };
  const sendAlone = async (call: Call): Promise<void> => {
    const { method, params } = call;
    try {
      settle(call, answerSchema.parse(await post({ jsonrpc: "2.0", id: 1, method, params })));
    } catch (error) {
      call.reject(error);
    }
  };
  const sendTogether = async (calls: readonly Call[]): Promise<void> => {
    const body = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const answers = batchSchema.safeParse(await post(body));
    const byId = new Map(answers.data?.map((answer) => [answer.id, answer]));
    const isWhole = calls.every((_, id) => byId.has(id));
    takesBatches &&= isWhole;
    if (!isWhole) return void (await Promise.all(calls.map(sendAlone)));
    for (const [id, call] of calls.entries()) settle(call, byId.get(id) as Answer);
  };
  const flush = (): void => {
    const calls = pending;
    pending = [];
    const size = takesBatches ? MOST_AT_ONCE : 1;
    for (let first = 0; first < calls.length; first += size) {
      const some = calls.slice(first, first + size);
      const [only, ...others] = some;
      if (only && others.length === 0) void sendAlone(only);
      else
        sendTogether(some).catch((error: unknown) => {
          for (const call of some) call.reject(error);
        });
    }
  };
  return (method, params) =>
    new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(flush);
      pending.push({ method, params, resolve, reject });
    });
}

function settle({ method, resolve, reject }: Call, { result, error }: Answer): void {
  if (error) reject(new Error(`${method}: ${error.message}`));
  else resolve(result);
}

/** The node refuses more requests for now. */
export class NodeBusyError extends Error {
  override name = "NodeBusyError";
  constructor() {
    super("the node refuses more requests for now: ask again later");
  }
}
