// Polls the node's head, so that a gateway can tell a block that is not indexed yet from one that does not exist.
import type { Sql } from "postgres";
import type { PublicClient } from "viem";

/** Blocks that a chain may have grown by since the last look without its node being asked to show the newest. */
const MOST_NEW_BLOCKS = 20;

/**
 * Records the RPC head (or why it could not be read) and the highest head ever seen, which only grows: a head far above all
 * others counts only if the node has that block. `updated_at` tells when the node last answered: a head that nobody has
 * heard of since is no head any more.
 */
export async function followHead(sql: Sql, client: PublicClient, chainId: number): Promise<void> {
  try {
    const head = Number(await client.getBlockNumber({ cacheTime: 0 }));
    const [stored] = await sql`select highest_head from tidemark.chain_head where chain_id = ${chainId}`;
    if (head > Number(stored?.highest_head ?? 0) + MOST_NEW_BLOCKS)
      await client.getBlock({ blockNumber: BigInt(head) });
    await sql`
      insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${chainId}, ${head}, ${head})
      on conflict (chain_id) do update set chain_head = ${head}, rpc_error = null, updated_at = now(),
        highest_head = greatest(tidemark.chain_head.highest_head, ${head})`;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "unknown") : String(error);
    await sql`update tidemark.chain_head set rpc_error = ${reason.slice(0, 300)} where chain_id = ${chainId}`;
  }
}

/** The facts' own head counts as shown too: a gateway may answer it before the next poll. */
export async function rememberHead(sql: Sql, chainId: number, head: number): Promise<void> {
  await sql`
    insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${chainId}, ${head}, ${head})
    on conflict (chain_id) do update set highest_head = ${head} where tidemark.chain_head.highest_head < ${head}`;
}
