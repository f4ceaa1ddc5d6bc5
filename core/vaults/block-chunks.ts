// Ranges of blocks cut into aligned chunks of one size, so that what was worked out for a chunk serves every range over it.
import type { BlockSpan } from "../block-span.ts";
import type { BlocksAfter } from "../blocks-after.ts";

export interface CutRange {
  /** Chunk c holds the blocks from c × size up to and including (c + 1) × size − 1. */
  chunks: readonly number[];
  /** What lies around them. */
  edges: readonly BlockSpan[];
}

export const spanOf = (chunk: number, size: number): BlockSpan => ({ from: chunk * size, to: (chunk + 1) * size - 1 });

/** The whole chunks in `after < block <= upTo` that end at or before `final`, and the rest. */
export function cutIntoChunks(range: BlocksAfter & { final: number }, size: number): CutRange {
  const { after, upTo, final } = range;
  const first = Math.ceil((after + 1) / size);
  const end = Math.floor((Math.min(upTo, final) + 1) / size);
  const chunks = Array.from({ length: Math.max(end - first, 0) }, (_, i) => first + i);
  const spans =
    chunks.length === 0
      ? [{ from: after + 1, to: upTo }]
      : [
          { from: after + 1, to: first * size - 1 },
          { from: end * size, to: upTo },
        ];
  return { chunks, edges: spans.filter(({ from, to }) => from <= to) };
}
