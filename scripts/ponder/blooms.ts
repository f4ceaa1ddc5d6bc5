// Whether a chain's blooms match its blocks' logs. On most chains they do, bit by bit; on some they are zero, or hold less or more
// than the logs that nodes give (because of system logs, as on ZKsync and Polygon). That they do not match is learned from the
// first blocks whose receipts agree with their logs while the bloom does not.
import type { BloomFault, NodeBlock } from "./block-logs.ts";

/** `learn`: until the chain has shown otherwise. */
export const BLOOM_CHECKS = ["learn", "always", "never"] as const;
export type BloomCheck = (typeof BLOOM_CHECKS)[number];

/** Why logs are not checked by blooms any more. */
export interface BloomFinding {
  reason: string;
  /** The last of the blocks that showed it; null where a setting turns the check off. */
  block: number | null;
}

export interface Blooms {
  /** Whether a bloom that shows other logs proves that some are missing. */
  readonly areProof: boolean;
  /** To be called for a block whose logs and receipts agree in both directions while its bloom has `fault`. */
  contradicted(block: Pick<NodeBlock, "number">, fault: BloomFault): void;
}

/** This many blocks must show it: a single one may be a node's mistake. */
const WITNESSES = 3;
const WORDS: Record<BloomFault, string> = {
  less: "lacks logs that the block has",
  more: "shows more logs than the block has",
};

/** `say` is called once with the finding. */
export function createBlooms(check: BloomCheck, say: (finding: BloomFinding) => void): Blooms {
  const witnesses = new Map<number, BloomFault>();
  let areProof = check !== "never";
  if (!areProof) say({ reason: "CHECK_BLOOMS is never", block: null });
  return {
    get areProof() {
      return areProof;
    },
    contradicted(block, fault) {
      if (check !== "learn" || !areProof) return;
      witnesses.set(Number(block.number), fault);
      if (witnesses.size < WITNESSES) return;
      areProof = false;
      const shown = [...witnesses].map(([number, one]) => `of block ${number} ${WORDS[one]}`);
      say({
        reason: `by the receipts of those blocks, the bloom ${shown.join(", that ")}`,
        block: Number(block.number),
      });
    },
  };
}
