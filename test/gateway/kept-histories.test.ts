// Histories that blocks with one watermark share: which blocks do, and that what is read covers what each of them asks.
import { describe, expect, it } from "vitest";
import { AnswerCache } from "../../gateway/cache/answer-cache.ts";
import { question } from "../../gateway/cache/question.ts";
import { asOf } from "../../gateway/ledger/as-of.ts";
import { cachedHistory, type HistoryRange } from "../../gateway/ledger/history-ranges.ts";
import type { Snapshot } from "../../gateway/ledger/snapshot.ts";

const histories = question<readonly HistoryRange[]>("histories");
const pointAt = (block: number, watermark: number) => ({
  ...{ block, watermark, hash: `0x${block}`, timestamp: block, lastSynced: 2_000, finalized: watermark },
});

function reader() {
  const snapshot = { cache: new AnswerCache().for({ index: "an index", isOpen: true }) } as Snapshot;
  const reads: (readonly HistoryRange[])[] = [];
  const ask = (at: { block: number; watermark: number }, ranges: readonly HistoryRange[]) =>
    cachedHistory(histories, { snapshot, point: pointAt(at.block, at.watermark), ranges }, async (asked) => {
      reads.push(asked);
      return asked;
    });
  return { ask, reads };
}

describe("histories of the newest blocks", () => {
  it("are read once for all blocks with one watermark, from where the earliest may need them", async () => {
    const { ask, reads } = reader();
    for (let block = 1_005; block < 1_020; block++) {
      const first = block - 900;
      const [told] = await ask({ block, watermark: 1_000 }, [{ first, last: block }]);
      expect(told?.first).toBeLessThanOrEqual(first);
      expect(told?.last).toBe(1_000);
    }
    expect(reads.length).toBeLessThanOrEqual(2);
  });

  it("are read anew when the watermark has moved, or when more is asked", async () => {
    const { ask, reads } = reader();
    await ask({ block: 1_005, watermark: 1_000 }, [{ first: 300, last: 1_005 }]);
    await ask({ block: 1_005, watermark: 1_004 }, [{ first: 300, last: 1_005 }]);
    await ask({ block: 1_005, watermark: 1_004 }, [{ first: -1, last: 1_005 }]);
    expect(reads.map(([range]) => range?.last)).toEqual([1_000, 1_004, 1_004]);
    expect(reads[2]?.[0]?.first).toBeLessThanOrEqual(-1);
  });

  it("begin at the watermark where only what holds at the block is asked", async () => {
    const { ask, reads } = reader();
    await ask({ block: 1_005, watermark: 1_000 }, [{ first: 1_005, last: 1_005 }]);
    await ask({ block: 1_006, watermark: 1_000 }, [{ first: 1_006, last: 1_006 }]);
    expect(reads).toEqual([[{ first: 1_000, last: 1_000 }]]);
  });

  it.each([
    ["an older block", 999, [{ first: 300, last: 999 }]],
    [
      "several ranges",
      1_005,
      [
        { first: 300, last: 400 },
        { first: 800, last: 1_005 },
      ],
    ],
    ["a range that ends below the watermark", 1_005, [{ first: 300, last: 400 }]],
  ])("of %s are read as they are asked", async (_, block, ranges) => {
    const { ask, reads } = reader();
    await ask({ block, watermark: 1_000 }, ranges);
    await ask({ block, watermark: 1_000 }, ranges);
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
    asOf(counting, pointAt(at.block, at.watermark)).final("select $1", [parameter]);

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
