// Compares the newest final block with the node's every other second. One answer of a node proves nothing: several in a row must agree.
import type { Sql } from "postgres";
import { BlockNotFoundError, type PublicClient } from "viem";
import {
  findReplaced,
  forgetReplaced,
  type Indexed,
  type NodeBlocks,
  readFinalBlock,
  recordReplaced,
} from "./chain-standing.ts";

const POLL_MS = 2_000;
/** Polls in a row that must find another block. */
const POLLS = 3;

/** A node seen through viem; errors of `confirm` count as errors of the requests. */
export const nodeOf = (client: PublicClient, confirm: () => Promise<void>): NodeBlocks => ({
  async head() {
    await confirm();
    return Number(await client.getBlockNumber({ cacheTime: 0 }));
  },
  async hashAt(block) {
    await confirm();
    try {
      return (await client.getBlock({ blockNumber: BigInt(block) })).hash;
    } catch (error) {
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    }
  },
});

/** Returns a check, to be called often; it resolves to the message for people once a final block has certainly been replaced. */
export function createChainWatch(
  db: Sql,
  { indexed, node, pauseMs = POLL_MS }: { indexed: Indexed; node: NodeBlocks; pauseMs?: number },
): () => Promise<string | undefined> {
  // Not the time of day: a clock that was wrong for a moment must not delay the next poll.
  let next = 0;
  let seen = 0;
  let isClean = false;
  return async () => {
    if (performance.now() < next) return undefined;
    next = performance.now() + pauseMs;
    const final = await readFinalBlock(db, indexed.ponderSchema);
    if (final === undefined) return undefined;
    // A node that does not answer has replaced nothing; the head's follower reports it.
    const replaced = await findReplaced(db, indexed.ponderSchema, { final, node }).catch(() => "unanswered" as const);
    if (replaced === "unanswered") return undefined;
    if (replaced === undefined) {
      seen = 0;
      if (!isClean) await forgetReplaced(db, indexed.chainId);
      isClean = true;
      return undefined;
    }
    seen += 1;
    return seen < POLLS ? undefined : await recordReplaced(db, indexed, { replaced, node });
  };
}
