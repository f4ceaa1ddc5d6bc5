// The fold's signs of life: one from its loop every second, with how far it is behind the node and what it waits for.
import { BEAT_MS, DUE_MS, type PartRecord } from "./part-record.ts";

/** A batch of final facts, or the indexes of a first load. */
const LONG_DUE_MS = 900_000;

export interface Life {
  /** A sign from the loop; before something `long` the next one is due much later. */
  sign(ahead?: "long"): Promise<void>;
  /** The node's head and the fold's own, as they are now. */
  reportPosition(at: { chain: number; fold: number }): void;
  /** Why the node cannot be asked; undefined: it can. */
  waits(reason: string | undefined): void;
}

export function createLife(record: Pick<PartRecord, "beat">): Life {
  let signedAt = Number.NEGATIVE_INFINITY;
  let waitsFor: string | undefined;
  let behind: { fold: number; since: number } | undefined;
  return {
    async sign(ahead) {
      if (ahead === undefined && performance.now() - signedAt < BEAT_MS) return;
      // after something long the next sign is written at once
      signedAt = ahead === undefined ? performance.now() : Number.NEGATIVE_INFINITY;
      const behindMs = behind && performance.now() - behind.since;
      await record.beat({ dueMs: ahead === undefined ? DUE_MS : LONG_DUE_MS, waitsFor, behindMs });
    },
    reportPosition({ chain, fold }) {
      if (chain <= fold) behind = undefined;
      else if (behind?.fold !== fold) behind = { fold, since: performance.now() };
    },
    waits(reason) {
      waitsFor = reason;
    },
  };
}
