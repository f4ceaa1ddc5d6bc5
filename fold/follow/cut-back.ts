// A chain that was cut back and has no new blocks yet, which Ponder shows by nothing but fewer facts. So does a Ponder that
// restarts; the node tells them apart.
import type { Logger } from "pino";
import type { Node } from "../chain-standing.ts";
import type { HeadFollower } from "./follow-head.ts";

/** Answers in a row that must name another block, or none. One answer of a node proves nothing. */
const ANSWERS = 3;

export interface CutBackWatch {
  /** To be called every so often with the highest blocks of facts and fold. */
  check(highest: { facts: number; head: number }): Promise<void>;
}

export function createCutBackWatch({
  node,
  follower,
  log,
}: {
  node: Node | undefined;
  follower: HeadFollower;
  log: Logger;
}): CutBackWatch {
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
      answers = 0;
      log.warn({ from: head, to: facts }, "the chain was cut back");
      await follower.goBackTo(facts);
    },
  };
}
