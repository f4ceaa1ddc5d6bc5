// The calls that the launcher itself makes to a node.
import { z } from "zod";

const TIMEOUT_MS = 10_000;
const block = z.object({ hash: z.string() });
const answer = z.object({ result: z.unknown(), error: z.object({ message: z.string() }).optional() });

/** Number of the newest block. @throws RpcError */
export async function headOf(rpcUrl: string): Promise<number> {
  return Number(await read(rpcUrl, z.string(), { method: "eth_blockNumber" }));
}

/** @throws RpcError */
export async function chainIdOf(rpcUrl: string): Promise<number> {
  return Number(await read(rpcUrl, z.string(), { method: "eth_chainId" }));
}

/** Chain id and the hash of block 0, which differs between chain instances. @throws RpcError */
export async function identityOf(rpcUrl: string): Promise<{ chainId: number; genesisHash: string }> {
  const chainId = await chainIdOf(rpcUrl);
  const genesis = await read(rpcUrl, block, { method: "eth_getBlockByNumber", params: ["0x0", false] });
  return { chainId, genesisHash: genesis.hash };
}

/** Hash of the block of that number; undefined when the node has none. @throws RpcError */
export async function blockHashAt(rpcUrl: string, number: number): Promise<string | undefined> {
  const params = [`0x${number.toString(16)}`, false];
  return (await read(rpcUrl, block.nullable(), { method: "eth_getBlockByNumber", params }))?.hash;
}

/** Makes calls to one node, whose results are of the shape of `schema`. */
export const rpcCall =
  (rpcUrl: string) =>
  <T>(schema: z.ZodType<T>, method: string, params: readonly unknown[]): Promise<T> =>
    read(rpcUrl, schema, { method, params });

async function read<T>(
  rpcUrl: string,
  schema: z.ZodType<T>,
  { method, params = [] }: { method: string; params?: readonly unknown[] },
): Promise<T> {
  const result = schema.safeParse(await call(rpcUrl, method, params));
  if (!result.success) throw new RpcError(rpcUrl, `${method}: its result is not one of that method`);
  return result.data;
}

async function call(rpcUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = answer.safeParse(jsonOf(await response.text()));
    if (!body.success) throw new Error(`HTTP ${response.status}, and no JSON-RPC`);
    if (body.data.error) throw new Error(body.data.error.message);
    return body.data.result;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
    throw new RpcError(rpcUrl, `${method}: ${error instanceof Error ? error.message : error}${cause && ` (${cause})`}`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The node does not answer, or not as a node does. */
export class RpcError extends Error {
  override name = "RpcError";
  constructor(rpcUrl: string, what: string) {
    // The path often holds a key.
    super(`the node at ${new URL(rpcUrl).origin} does not answer ${what}`);
  }
}
