// JSON-RPC over HTTP with batches: viem's transports do not guarantee that one batch is one request.

export interface RpcRequest {
  method: string;
  params: readonly unknown[];
}

interface RpcAnswer {
  id: number;
  result?: unknown;
  error?: { code: number; message: string };
}

/** The node answered with a JSON-RPC error. */
export class RpcError extends Error {
  readonly method: string;

  constructor(method: string, message: string) {
    super(`${method}: ${message}`);
    this.name = "RpcError";
    this.method = method;
  }
}

/** Posts all requests as one batch; answers in request order. A refused request is an `RpcError` in its place. */
export async function postBatch(url: string, requests: readonly RpcRequest[]): Promise<unknown[]> {
  if (requests.length === 0) return [];
  const body = requests.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answers = (await response.json()) as RpcAnswer[];
  if (!Array.isArray(answers)) throw new RpcError("batch", JSON.stringify(answers).slice(0, 200));
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return requests.map(({ method }, id) => {
    const answer = byId.get(id);
    if (answer === undefined) return new RpcError(method, "no answer");
    return answer.error === undefined ? answer.result : new RpcError(method, answer.error.message);
  });
}

/** In a larger batch anvil works on the last requests before the first are done: it would mine a block without its last transactions. */
const IN_ORDER = 30;

/** Like `postBatch`, for any number of requests: sent one after the other in batches that anvil answers in order. */
export async function postInOrder(url: string, requests: readonly RpcRequest[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let first = 0; first < requests.length; first += IN_ORDER)
    answers.push(...(await postBatch(url, requests.slice(first, first + IN_ORDER))));
  return answers;
}

/** One request; throws `RpcError` when the node refuses it. */
export async function postOne<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const [answer] = await postBatch(url, [{ method, params }]);
  if (answer instanceof Error) throw answer;
  return answer as T;
}

/** Whether something answers JSON-RPC at `url` within `milliseconds`. */
export async function isAnswering(url: string, milliseconds = 1000): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
      signal: AbortSignal.timeout(milliseconds),
    });
    return response.ok;
  } catch {
    return false;
  }
}
