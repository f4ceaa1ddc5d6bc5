// Histories that blocks with one last final block share: which blocks do, and that what is read covers what each of them asks.
import { describe, expect, it } from "vitest";
import { AnswerCache } from "../../gateway/cache/answer-cache.ts";
import { question } from "../../gateway/cache/question.ts";
import { asOf } from "../../gateway/ledger/as-of.ts";
import { cachedHistory, type HistoryRange } from "../../gateway/ledger/history-ranges.ts";
import type { Snapshot } from "../../gateway/ledger/snapshot.ts";

const histories = question<readonly HistoryRange[]>("histories");
const pointAt = (block: number, finalized: number) => ({
  ...{ block, watermark: 2_000, hash: `0x${block}`, timestamp: block, lastSynced: 2_000, finalized },
});

function reader() {
  const snapshot = { cache: new AnswerCache().for({ index: "an index", isOpen: true }) } as Snapshot;
  const reads: (readonly HistoryRange[])[] = [];
  const ask = (at: { block: number; finalized: number }, ranges: readonly HistoryRange[]) =>
    cachedHistory(histories, { snapshot, point: pointAt(at.block, at.finalized), ranges }, async (asked) => {
      reads.push(asked);
      return asked;
    });
  return { ask, reads };
}

describe("histories of the newest blocks", () => {
  it("are read once up to the last final block, from where the earliest may need them, and behind it for each block", async () => {
    const { ask, reads } = reader();
    for (let block = 1_005; block < 1_020; block++) {
      const first = block - 900;
      const [final, newer] = await ask({ block, finalized: 1_000 }, [{ first, last: block }]);
      expect(final?.first).toBeLessThanOrEqual(first);
      expect(final?.last).toBe(1_000);
      expect(newer).toEqual({ first: 1_000, last: block });
    }
    expect(reads.filter(([range]) => range?.last === 1_000).length).toBeLessThanOrEqual(2);
  });

  it("are read anew when another block is the last final one, or when more is asked", async () => {
    const { ask, reads } = reader();
    await ask({ block: 1_004, finalized: 1_000 }, [{ first: 300, last: 1_004 }]);
    await ask({ block: 1_004, finalized: 1_004 }, [{ first: 300, last: 1_004 }]);
    await ask({ block: 1_004, finalized: 1_004 }, [{ first: 310, last: 1_004 }]);
    await ask({ block: 1_004, finalized: 1_004 }, [{ first: -1, last: 1_004 }]);
    expect(reads).toEqual([
      [{ first: 256, last: 1_000 }],
      [{ first: 1_000, last: 1_004 }],
      [{ first: 256, last: 1_004 }],
      [{ first: -64, last: 1_004 }],
    ]);
  });

  it.each([
    ["an older block", 999, [{ first: 300, last: 999 }]],
    ["what holds at a block that is not final", 1_005, [{ first: 1_005, last: 1_005 }]],
    [
      "several ranges",
      1_005,
      [
        { first: 300, last: 400 },
        { first: 800, last: 1_005 },
      ],
    ],
    ["a range that ends before the last final block", 1_005, [{ first: 300, last: 400 }]],
  ])("of %s are read as they are asked", async (_, block, ranges) => {
    const { ask, reads } = reader();
    await ask({ block, finalized: 1_000 }, ranges);
    await ask({ block, finalized: 1_000 }, ranges);
    expect(reads).toEqual([ranges, ranges]);
  });
});

describe("what the watermark alone decides", () => {
  const reads: string[] = [];
  const counting = {
    ...{ index: "another index", isOpen: true, schemas: { ponder: "facts", fold: "fold" } },
    carried: new Map(),
    prepared: async (_: string, [first = ""]: string[]) => {
      reads.push(first);
      return [{ first }];
    },
  } as unknown as Snapshot;
  const read = (at: { block: number; watermark: number }, parameter: string) =>
    asOf(counting, { ...pointAt(at.block, at.watermark), watermark: at.watermark }).final("select $1", [parameter]);

  it("is read once for all blocks above it, and for each older block", async () => {
    for (const block of [1_000, 1_001, 1_002])
      expect(await read({ block, watermark: 1_000 }, "a")).toEqual([{ first: "a" }]);
    expect(await read({ block: 1_001, watermark: 1_000 }, "b")).toEqual([{ first: "b" }]);
    expect(reads).toEqual(["a", "b"]);
    await read({ block: 1_002, watermark: 1_001 }, "a");
    await read({ block: 999, watermark: 1_001 }, "a");
    await read({ block: 999, watermark: 1_001 }, "a");
    expect(reads).toEqual(["a", "b", "a", "a", "a"]);
  });
});
