// Histories that the newest blocks share, and rows that a block decides: what is cached for whom, and that what is read covers
// what each of them asks.
import { describe, expect, it } from "vitest";
import { AnswerCache } from "../../gateway/cache/answer-cache.ts";
import { question } from "../../gateway/cache/question.ts";
import type { Snapshot } from "../../gateway/database/snapshot.ts";
import { type AsOf, asOf } from "../../gateway/history/as-of.ts";
import { cachedHistory, type HistoryRange } from "../../gateway/history/history-ranges.ts";
import type { BlockPoint } from "../../gateway/history/point.ts";

interface Place {
  block: number;
  finalized: number;
  hash?: string;
}

const pointAt = ({ block, finalized, hash = `0x${block}` }: Place): BlockPoint => ({
  ...{ block, finalized, hash, timestamp: block, lastSynced: 2_000 },
  ...{ rewinds: 0, withoutHistory: 0 },
});

interface Row {
  block: number;
  upTo: number;
}

const histories = question<readonly Row[]>("histories");

/** A history with a step in every block; `finalized` is what the database says it is. */
function reader() {
  const cache = new AnswerCache().for({ index: "an index", isOpen: true });
  const reads: string[] = [];
  let finalized = 1_000;
  const prepared = async (text: string, [first = "", last = ""]: string[]): Promise<object[]> => {
    if (text === "over") {
      reads.push(`over ${first} to ${last}`);
      const [from, upTo] = [first, last].map((blocks) => blocks.split(",").map(Number));
      return (from ?? []).map((block, i) => ({ block, upTo: upTo?.[i] }));
    }
    expect(text).toContain("recent");
    reads.push(`after ${first} up to ${last}`);
    return [{ finalized, block: Number(first) + 1, upTo: Number(last) }];
  };
  const want = (place: Place, ranges: readonly HistoryRange[]) => {
    const at = { cache, point: pointAt(place), fold: "fold", prepared } as unknown as AsOf;
    return cachedHistory(histories, { at, ranges }, { over: () => "over", recent: "select recent" });
  };
  return { want, reads, finalize: (block: number) => (finalized = block) };
}

describe("histories of the newest blocks", () => {
  it("have their final part read once for all blocks, from where the earliest may need it", async () => {
    const { want, reads } = reader();
    for (let block = 1_005; block < 1_020; block++) {
      const first = block - 900;
      const [before, after] = await want({ block, finalized: 1_000 }, [{ first, last: block }]);
      expect(before?.block).toBeLessThanOrEqual(first);
      expect([before?.upTo, after]).toEqual([1_000, { finalized: 1_000, block: 1_001, upTo: block }]);
    }
    expect(reads.filter((read) => read.startsWith("over")).length).toBeLessThanOrEqual(2);
  });

  it("have the rest read once for each block, and again for another one of its number", async () => {
    const { want, reads } = reader();
    const ranges = [{ first: 640, last: 1_005 }];
    for (const hash of ["0xa", "0xb", "0xa"]) await want({ block: 1_005, finalized: 1_000, hash }, ranges);
    expect(reads).toEqual(["after 1000 up to 1005", "over 640 to 1000", "after 1000 up to 1005"]);
  });

  it("are read again when more is final, or when a question needs more", async () => {
    const { want, reads, finalize } = reader();
    await want({ block: 1_005, finalized: 1_000 }, [{ first: 300, last: 1_005 }]);
    finalize(1_004);
    await want({ block: 1_005, finalized: 1_004 }, [{ first: 300, last: 1_005 }]);
    await want({ block: 1_005, finalized: 1_004 }, [{ first: -1, last: 1_005 }]);
    expect(reads.filter((read) => read.startsWith("over"))).toEqual([
      "over 256 to 1000",
      "over 256 to 1004",
      "over -64 to 1004",
    ]);
  });

  it("are read for exactly the blocks asked for when blocks have become final meanwhile", async () => {
    const { want, reads, finalize } = reader();
    finalize(1_003);
    await want({ block: 1_005, finalized: 1_000 }, [{ first: 300, last: 1_005 }]);
    expect(reads).toEqual(["after 1000 up to 1005", "over 300 to 1005"]);
  });

  it("begin at the last final block where only what holds at the block is asked", async () => {
    const { want, reads } = reader();
    await want({ block: 1_005, finalized: 1_000 }, [{ first: 1_005, last: 1_005 }]);
    await want({ block: 1_006, finalized: 1_000 }, [{ first: 1_006, last: 1_006 }]);
    expect(reads).toEqual(["after 1000 up to 1005", "over 1000 to 1000", "after 1000 up to 1006"]);
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
    ["a range that ends in final blocks", 1_005, [{ first: 300, last: 400 }]],
  ])("of %s are read for exactly the blocks asked for", async (_, block, ranges) => {
    const { want, reads } = reader();
    await want({ block, finalized: 1_000 }, ranges);
    await want({ block, finalized: 1_000 }, ranges);
    const read = `over ${ranges.map(({ first }) => first).join(",")} to ${ranges.map(({ last }) => last).join(",")}`;
    expect(reads).toEqual([read, read]);
  });
});

describe("rows that a block decides", () => {
  const reads: string[] = [];
  const counting = {
    ...{ cache: new AnswerCache().for({ index: "an index", isOpen: true }), memos: new Map() },
    fold: "fold",
    prepared: async (_: string, [first = ""]: string[]) => {
      reads.push(first);
      return [{ first, read: reads.length }];
    },
    state: { revision: "" },
  } as unknown as Snapshot;
  const read = (at: Place, parameter: string) => asOf(counting, pointAt(at)).cached("select $1", [parameter]);

  it("are read once for it, and never given for another one of its number", async () => {
    const [one, other] = [
      { block: 1_005, finalized: 1_000, hash: "0xa" },
      { block: 1_005, finalized: 1_000, hash: "0xb" },
    ];
    const first = await read(one, "a");
    expect(await read(other, "a")).not.toBe(first);
    expect(await read(one, "a")).toBe(first);
    expect(await read({ ...one, block: 1_006, hash: "0xc" }, "a")).not.toBe(first);
    expect(await read(one, "b")).not.toBe(first);
    expect(reads).toEqual(["a", "a", "a", "b"]);
  });

  it("are read once for a final block, whether its hash is at hand or not", async () => {
    const place = { block: 900, finalized: 1_000 };
    const { hash: _, ...unnamed } = pointAt(place);
    const first = await read(place, "c");
    expect(await asOf(counting, { ...unnamed, hash: undefined }).cached("select $1", ["c"])).toBe(first);
    expect(await read({ block: 901, finalized: 1_000 }, "c")).not.toBe(first);
  });
});
