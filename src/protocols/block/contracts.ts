// The block source. Its start block is fixed: a moving one would leave holes below the head.
import type { Indexing } from "../../../chains/indexing.ts";

export function blockSources(indexing: Indexing) {
  return { Block: { chain: "chain", interval: 1, startBlock: indexing.startBlock } } as const;
}
