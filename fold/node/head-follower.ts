// Polls the node's head, so that a gateway can distinguish a block that is not indexed yet from one that does not exist.
import type { Sql } from "postgres";
import type { PublicClient } from "viem";
import { publicReason } from "../process/part-record.ts";

/** A head that is more blocks than this above the highest one seen is believed only if the node can show that block. */
const MOST_NEW_BLOCKS = 20;

/** How long a node's chain id is taken to be the same before it is asked for again. */
const CONFIRMED_MS = 2_000;

/** `now`: even when the node was asked a moment ago. @throws WrongNodeError; errors of the request */
export type ChainCheck = (when?: "now") => Promise<void>;

/** Asks the node for its chain id now and then. */
export function createChainCheck(client: Pick<PublicClient, "getChainId">, chainId: number): ChainCheck {
  let confirmedAt = Number.NEGATIVE_INFINITY;
  return async (when) => {
    if (when !== "now" && performance.now() - confirmedAt < CONFIRMED_MS) return;
    const serves = await client.getChainId();
    if (serves !== chainId) throw new WrongNodeError({ chainId, serves });
    confirmedAt = performance.now();
  };
}

/** The node serves another chain: nothing that it says is used. */
export class WrongNodeError extends Error {
  override name = "WrongNodeError";
  constructor({ chainId, serves }: { chainId: number; serves: number }) {
    super(`the node serves chain ${serves}, and this index is of chain ${chainId}; correct RPC_URL`);
  }
}

/** The first line of viem's error, with the status and the message of the node's answer where there are any. */
function nodeTrouble(error: unknown): string {
  if (!(error instanceof Error)) return publicReason(error);
  const { status, details } = error as { status?: unknown; details?: unknown };
  const first = error.message.split("\n")[0] ?? "";
  const parts = [first, status === undefined ? "" : `status ${status}`, typeof details === "string" ? details : ""];
  return publicReason(parts.filter((part, i) => part !== "" && (i === 0 || !first.includes(part))).join(", ")).slice(
    0,
    300,
  );
}

/**
 * Records the RPC head (or why it could not be read) and the highest head ever seen, which only grows: a head far above all
 * others counts only if the node has that block. `updated_at` says when the node last answered: an old head does not count any
 * more. Resolves to the head, or to the reason.
 */
export async function followHead(
  sql: Sql,
  { client, chainId, confirm }: { client: PublicClient; chainId: number; confirm?: ChainCheck },
): Promise<{ head: number } | { trouble: string }> {
  let head: number;
  try {
    await confirm?.();
    head = Number(await client.getBlockNumber({ cacheTime: 0 }));
    const [stored] = await sql`select highest_head from tidemark.chain_head where chain_id = ${chainId}`;
    if (head > Number(stored?.highest_head ?? 0) + MOST_NEW_BLOCKS) {
      await confirm?.("now");
      await client.getBlock({ blockNumber: BigInt(head) });
    }
  } catch (error) {
    const trouble = nodeTrouble(error);
    await sql`update tidemark.chain_head set rpc_error = ${trouble} where chain_id = ${chainId}`;
    return { trouble };
  }
  await sql`
      insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${chainId}, ${head}, ${head})
      on conflict (chain_id) do update set chain_head = ${head}, rpc_error = null, updated_at = now(),
        highest_head = greatest(tidemark.chain_head.highest_head, ${head})`;
  return { head };
}

/** The facts' own head counts as shown too: a gateway may answer it before the next poll. */
export async function rememberHead(sql: Sql, chainId: number, head: number): Promise<void> {
  await sql`
    insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${chainId}, ${head}, ${head})
    on conflict (chain_id) do update set highest_head = ${head} where tidemark.chain_head.highest_head < ${head}`;
}
