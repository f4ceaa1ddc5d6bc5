// Whether a chain's blooms tell what its blocks' logs are. On most chains they do, to the bit; on some they are zero, or leave out
// or hold more than what nodes give (logs of the system, ZKsync's, Polygon's). Which one it is, is learned from the first blocks
// whose receipts agree with their logs while the bloom does not.
import type { BloomFault, NodeBlock } from "./block-logs.ts";

/** `learn`: until the chain has shown otherwise. */
export const BLOOM_CHECKS = ["learn", "always", "never"] as const;
export type BloomCheck = (typeof BLOOM_CHECKS)[number];

/** Blooms are not held against logs any more, and why. */
export interface BloomFinding {
  reason: string;
  /** The last of the blocks that showed it; null where it was set. */
  block: number | null;
}

export interface Blooms {
  /** Whether a bloom that tells of other logs proves that some are missing. */
  readonly areProof: boolean;
  /** Of a block whose logs are in all receipts and the other way round. */
  contradicted(block: Pick<NodeBlock, "number">, fault: BloomFault): void;
}

/** So many blocks show it: one may be a node's slip. */
const WITNESSES = 3;
const WORDS: Record<BloomFault, string> = {
  less: "lacks logs that the block has",
  more: "tells of more logs than the block has",
};

/** `say` hears of it once. */
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
