import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutIntoChunks, spanOf } from "../../gateway/catalogue/emissions.ts";

describe("a range cut into chunks", () => {
  it("is the same blocks, each once; chunks are final", () => {
    let chunked = 0;
    fc.assert(
      fc.property(
        fc.record({
          after: fc.integer({ min: -1, max: 60 }),
          length: fc.nat(60),
          final: fc.integer({ min: -1, max: 120 }),
        }),
        fc.integer({ min: 1, max: 16 }),
        ({ after, length, final }, size) => {
          const { chunks, edges } = cutIntoChunks({ after, upTo: after + length, final }, size);
          const spans = [...chunks.map((chunk) => spanOf(chunk, size)), ...edges];
          const blocks = spans.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
          expect(blocks.sort((a, b) => a - b)).toEqual(Array.from({ length }, (_, i) => after + 1 + i));
          for (const chunk of chunks) expect(spanOf(chunk, size).to).toBeLessThanOrEqual(final);
          expect(edges.length).toBeLessThanOrEqual(2);
          // what is left over is shorter than a chunk on either side, where it is final
          if (final >= after + length) for (const { from, to } of edges) expect(to - from + 1).toBeLessThan(2 * size);
          chunked += chunks.length;
        },
      ),
      { numRuns: 500, seed: 7 },
    );
    expect(chunked).toBeGreaterThan(500);
  });

  it("has its edges where they are", () => {
    expect(cutIntoChunks({ after: 9, upTo: 45, final: 39 }, 10)).toEqual({
      chunks: [1, 2, 3],
      edges: [{ from: 40, to: 45 }],
    });
    expect(cutIntoChunks({ after: 12, upTo: 18, final: 99 }, 10)).toEqual({
      chunks: [],
      edges: [{ from: 13, to: 18 }],
    });
    expect(cutIntoChunks({ after: 5, upTo: 5, final: 99 }, 10)).toEqual({ chunks: [], edges: [] });
  });
});
