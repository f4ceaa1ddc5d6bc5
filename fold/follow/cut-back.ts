// Notices a chain that was cut back and has no new blocks yet. Ponder then only has fewer facts, just as when it restarts: the node
// shows which of the two it is.
import type { Logger } from "pino";
import type { NodeBlocks } from "../node/chain-standing.ts";
import type { HeadFollower } from "./follow-head.ts";

/** Answers in a row that must name another block, or none. One answer of a node proves nothing. */
const ANSWERS = 3;

interface CutBackWatch {
  /** To be called every so often with the highest blocks of facts and fold. */
  check(highest: { facts: number; head: number }): Promise<void>;
}

interface Watched {
  node: NodeBlocks | undefined;
  follower: Pick<HeadFollower, "hashOf" | "goBackTo">;
  log: Logger;
}

/** The highest block below `head` that the node has too; blocks that Ponder still has are not checked. */
async function highestOfBoth(
  { node, follower }: { node: NodeBlocks; follower: Watched["follower"] },
  { facts, head }: { facts: number; head: number },
): Promise<number> {
  for (let block = head - 1; block > facts; block -= 1) {
    const ours = follower.hashOf(block);
    if (ours === undefined || (await node.hashAt(block)) === ours) return block;
  }
  return facts;
}

export function createCutBackWatch({ node, follower, log }: Watched): CutBackWatch {
  let answers = 0;
  return {
    async check({ facts, head }) {
      const ours = facts < head ? follower.hashOf(head) : undefined;
      if (node === undefined || ours === undefined) {
        answers = 0;
        return;
      }
      const theirs = await node.hashAt(head).catch(() => "unanswered");
      if (theirs === "unanswered") return;
      answers = theirs === ours ? 0 : answers + 1;
      if (answers < ANSWERS) return;
      const block = await highestOfBoth({ node, follower }, { facts, head }).catch(() => undefined);
      if (block === undefined) return;
      answers = 0;
      log.warn({ from: head, to: block }, "the chain was cut back");
      await follower.goBackTo(block);
    },
  };
}
