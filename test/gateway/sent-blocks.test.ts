// What is news: blocks under hashes that were not announced, whatever rows come and go in between.
import { describe, expect, it } from "vitest";
import { MOST_REMEMBERED, type SeenBlock, SentBlocks } from "../../gateway/subscriptions/sent-blocks.ts";

const block = (number: number, fork = "a"): SeenBlock => ({ number, hash: `${fork}${number}`, timestamp: number });
const blocks = (from: number, to: number, fork = "a") =>
  Array.from({ length: to - from + 1 }, (_, i) => block(from + i, fork));

describe("blocks that were announced", () => {
  const sent = new SentBlocks(blocks(1, 5));

  it("are no news", () => {
    expect(sent.compare(blocks(1, 5))).toMatchObject({ fresh: [], replaced: [] });
    expect(sent.compare(blocks(1, 7))).toMatchObject({ fresh: blocks(6, 7), replaced: [] });
  });

  it("are news again under another hash, with all that they replace", () => {
    const now = [...blocks(1, 3), ...blocks(4, 6, "b")];
    const news = sent.compare(now);
    expect(news).toMatchObject({ fresh: blocks(4, 6, "b"), replaced: blocks(4, 5) });
    expect(sent.after(news).compare(now)).toMatchObject({ fresh: [], replaced: [] });
  });

  it("are news again under the same hash with other facts, and so are those above", () => {
    const counted = (from: number, facts: string | null) => blocks(from, 5).map((one) => ({ ...one, facts }));
    const partly = new SentBlocks(counted(1, "erc20_transfer 1 "));
    const now = [...counted(1, "erc20_transfer 1 ").slice(0, 3), ...counted(4, "erc20_transfer 2 ").slice(0, 1)];
    const news = partly.compare([...now, ...counted(5, "erc20_transfer 1 ")]);
    expect(news.fresh.map(({ number }) => number)).toEqual([4, 5]);
    expect(news.replaced.map(({ number }) => number)).toEqual([4, 5]);
    // of blocks that have become final nobody counts any more
    expect(partly.compare(counted(1, null))).toMatchObject({ fresh: [], replaced: [] });
  });

  it("are news again when they come back after they were gone, each once", () => {
    expect(sent.compare(blocks(1, 2))).toMatchObject({ fresh: [], replaced: [] });
    const without = sent.after(sent.compare(blocks(1, 2)));
    expect(without.highest).toBe(5);
    const news = without.compare(blocks(1, 6));
    expect(news.fresh).toEqual(blocks(3, 6));
    expect(news.replaced).toMatchObject(blocks(3, 5));
    expect(without.after(news).compare(blocks(1, 6))).toMatchObject({ fresh: [], replaced: [] });
  });

  it("are named once when a shorter chain replaces them", () => {
    const shorter = [...blocks(1, 3), block(4, "b")];
    const news = sent.compare(shorter);
    expect(news).toMatchObject({ fresh: [block(4, "b")], replaced: blocks(4, 5) });
    expect(sent.after(news).compare([...shorter, block(5, "b")])).toMatchObject({
      fresh: [block(5, "b")],
      replaced: [],
    });
  });

  it("are remembered only so far", () => {
    const many = new SentBlocks(blocks(1, 1_000));
    expect([many.lowest, many.highest]).toEqual([1_001 - MOST_REMEMBERED, 1_000]);
    const empty = new SentBlocks([]);
    expect([empty.lowest, empty.highest]).toEqual([0, undefined]);
    expect(empty.compare(blocks(0, 1)).fresh).toEqual(blocks(0, 1));
  });
});
