// What /metrics says of the cache.
import { beforeEach, describe, expect, it } from "vitest";
import { AnswerCache } from "../../../gateway/cache/answer-cache.ts";
import { question } from "../../../gateway/cache/question.ts";
import { registry } from "../../../gateway/instruments.ts";
import { showCache } from "../../../gateway/metrics/cache-metrics.ts";

const sums = question<number>("sums", { weigh: () => 800 });
const lists = question<number[]>("lists", { weigh: () => 1_000_000 });

let cache: AnswerCache;
beforeEach(() => {
  cache = new AnswerCache({ mostBytes: 5_000 });
});

/** Lines of the cache, without comments. */
async function shown(): Promise<string[]> {
  showCache(cache);
  const text = await registry.metrics();
  return text.split("\n").filter((line) => line.startsWith("tidemark_cache_"));
}

describe("the cache in /metrics", () => {
  it("counts what was wanted, what is stored and what went, by question", async () => {
    const mine = cache.for({ index: "index", isOpen: false });
    const sum = (block: number) => mine.of(sums, { at: `0x${block}`, key: "" }, async () => block);
    for (const block of [1, 1, 2, 3, 4, 5, 6]) await sum(block);
    await Promise.all([sum(7), sum(7), sum(7)]);
    await mine.of(lists, { at: "0x1", key: "" }, async () => [1]);
    const { questions, bytes } = cache.stats();
    const [first] = questions;
    expect(await shown()).toEqual([
      'tidemark_cache_requests_total{question="sums",outcome="hit"} 1',
      'tidemark_cache_requests_total{question="sums",outcome="shared"} 2',
      'tidemark_cache_requests_total{question="sums",outcome="miss"} 7',
      'tidemark_cache_requests_total{question="lists",outcome="hit"} 0',
      'tidemark_cache_requests_total{question="lists",outcome="shared"} 0',
      'tidemark_cache_requests_total{question="lists",outcome="miss"} 1',
      'tidemark_cache_evictions_total{question="sums",reason="room"} 3',
      'tidemark_cache_evictions_total{question="sums",reason="unused"} 0',
      'tidemark_cache_evictions_total{question="sums",reason="size"} 0',
      'tidemark_cache_evictions_total{question="lists",reason="room"} 0',
      'tidemark_cache_evictions_total{question="lists",reason="unused"} 0',
      'tidemark_cache_evictions_total{question="lists",reason="size"} 1',
      'tidemark_cache_entries{question="sums"} 4',
      'tidemark_cache_entries{question="lists"} 0',
      `tidemark_cache_bytes{question="sums"} ${first?.bytes}`,
      'tidemark_cache_bytes{question="lists"} 0',
      "tidemark_cache_limit_bytes 5000",
    ]);
    expect(first?.bytes).toBe(bytes);
  });

  it("does not count the same request twice, and shows nothing of an earlier cache", async () => {
    await shown();
    cache.for({ index: "index", isOpen: false }).set(sums, { at: "0x1", key: "" }, 1);
    await shown();
    expect(await shown()).toContain('tidemark_cache_requests_total{question="sums",outcome="miss"} 1');
    cache = new AnswerCache();
    expect(await shown()).toEqual(["tidemark_cache_limit_bytes 134217728"]);
  });
});
