// The questions the launcher asks a node itself.
import { z } from "zod";

const TIMEOUT_MS = 10_000;

/** Number of the newest block. @throws RpcError */
export async function headOf(rpcUrl: string): Promise<number> {
  return Number(z.string().parse(await call(rpcUrl, "eth_blockNumber", [])));
}

/** @throws RpcError */
export async function chainIdOf(rpcUrl: string): Promise<number> {
  return Number(z.string().parse(await call(rpcUrl, "eth_chainId", [])));
}

/** Chain id and the hash of block 0, which tells one chain instance from another. @throws RpcError */
export async function identityOf(rpcUrl: string): Promise<{ chainId: number; genesisHash: string }> {
  const chainId = await chainIdOf(rpcUrl);
  const genesis = z.object({ hash: z.string() }).parse(await call(rpcUrl, "eth_getBlockByNumber", ["0x0", false]));
  return { chainId, genesisHash: genesis.hash };
}

/** Hash of the block of that number; undefined when the node has none. @throws RpcError */
export async function blockHashAt(rpcUrl: string, block: number): Promise<string | undefined> {
  const answer = await call(rpcUrl, "eth_getBlockByNumber", [`0x${block.toString(16)}`, false]);
  return z.object({ hash: z.string() }).nullable().parse(answer)?.hash;
}

/** Calls of one node. */
export const rpcCall =
  (rpcUrl: string) =>
  (method: string, params: readonly unknown[]): Promise<unknown> =>
    call(rpcUrl, method, params);

async function call(rpcUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = z
      .object({ result: z.unknown(), error: z.object({ message: z.string() }).optional() })
      .parse(await response.json());
    if (body.error) throw new Error(body.error.message);
    return body.result;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
    throw new RpcError(rpcUrl, `${method}: ${error instanceof Error ? error.message : error}${cause && ` (${cause})`}`);
  }
}

/** The node does not answer as a node does. */
export class RpcError extends Error {
  override name = "RpcError";
  constructor(rpcUrl: string, what: string) {
    // The path often holds a key.
    super(`the node at ${new URL(rpcUrl).origin} does not answer ${what}`);
  }
}
