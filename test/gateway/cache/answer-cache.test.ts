// The one cache: who waits for whom, how much is stored and for how long, and what distinguishes answers.
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AnswerCache, type AnswerPlace, FINAL, type Reader } from "../../../gateway/cache/answer-cache.ts";
import { question } from "../../../gateway/cache/question.ts";

const reader = (isOpen = false, index = "index"): Reader => ({ index, isOpen });
const at = (block: number): AnswerPlace => ({ at: `0x${block}`, key: "sum" });
const texts = question<string>("texts");
/** As many bytes as the text says, beside what every entry takes. */
const sized = question<{ bytes: number }>("sized", { weigh: ({ bytes }) => bytes });

/** Work that ends when the test says so. */
function work() {
  let end: (answer: string) => void = () => {};
  let fail = () => {};
  const promise = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = () => reject(new Error("the client has gone"));
  });
  return { run: vi.fn(() => promise), end, fail };
}

const statsOf = (cache: AnswerCache, name: string) => cache.stats().questions.find(({ question }) => question === name);

describe("work that several want at the same time", () => {
  it("is done once", async () => {
    const cache = new AnswerCache();
    const { run, end } = work();
    const all = [1, 2, 3].map(() => cache.for(reader()).of(texts, at(1), run));
    end("answer");
    expect(await Promise.all(all)).toEqual(["answer", "answer", "answer"]);
    expect(await cache.for(reader()).of(texts, at(1), run)).toBe("answer");
    expect(run).toHaveBeenCalledTimes(1);
    expect(statsOf(cache, "texts")).toMatchObject({ misses: 1, shared: 2, hits: 1, entries: 1 });
  });

  it("fails for the one who began it: the others do it once more, together", async () => {
    const cache = new AnswerCache();
    const [first, second] = [work(), work()];
    const own = cache.for(reader()).of(texts, at(1), first.run);
    const others = [1, 2, 3].map(() => cache.for(reader()).of(texts, at(1), second.run));
    first.fail();
    await expect(own).rejects.toThrow("the client has gone");
    await sleep(0);
    second.end("answer");
    expect(await Promise.all(others)).toEqual(["answer", "answer", "answer"]);
    expect(second.run).toHaveBeenCalledTimes(1);
  });

  it("is begun again after it has failed, also where it fails before it has begun", async () => {
    const cache = new AnswerCache();
    const broken = () => {
      throw new Error("no text");
    };
    await expect(cache.for(reader()).of(texts, at(1), broken)).rejects.toThrow("no text");
    expect(await cache.for(reader()).of(texts, at(1), async () => "answer")).toBe("answer");
  });

  it("is not waited for by a reader with a connection while the other one may wait for a connection", async () => {
    const cache = new AnswerCache();
    const [waiting, own] = [work(), work()];
    const theirs = cache.for(reader(false)).of(texts, at(1), waiting.run);
    const ours = cache.for(reader(true)).of(texts, at(1), own.run);
    own.end("ours");
    expect(await ours).toBe("ours");
    waiting.end("theirs");
    expect(await theirs).toBe("theirs");
    expect(await cache.for(reader()).of(texts, at(1), work().run)).toBe("ours");
  });

  it("is waited for by a reader with a connection once the other one has one too", async () => {
    const cache = new AnswerCache();
    const other = { index: "index", isOpen: false };
    const { run, end } = work();
    const theirs = cache.for(other).of(texts, at(1), run);
    other.isOpen = true;
    const ours = cache.for(reader(true)).of(texts, at(1), run);
    end("answer");
    expect(await Promise.all([theirs, ours])).toEqual(["answer", "answer"]);
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe("an answer", () => {
  it("belongs to its index, block, key, revision and question", async () => {
    const cache = new AnswerCache();
    const other = question<string>("other texts");
    const store = (index: string, kind: typeof texts, place: AnswerPlace) =>
      cache.for(reader(false, index)).of(kind, place, async () => JSON.stringify([index, kind.name, place]));
    const places: [string, typeof texts, AnswerPlace][] = [
      ["index", texts, { at: "0x1", key: "sum" }],
      ["index", texts, { at: "0x1", key: "sum", revision: 1 }],
      ["index", texts, { at: "0x1", key: "sum", revision: 2 }],
      ["index", texts, { at: "0x1", key: "1 sum" }],
      ["index", texts, { at: FINAL, key: "sum" }],
      ["index", other, { at: "0x1", key: "sum" }],
      ["index of tomorrow", texts, { at: "0x1", key: "sum" }],
    ];
    for (const place of places) await store(...place);
    for (const [index, kind, place] of places)
      expect(cache.for(reader(false, index)).get(kind, place)).toBe(JSON.stringify([index, kind.name, place]));
    expect(cache.stats().questions.map(({ entries }) => entries)).toEqual([6, 1]);
  });

  it("is not stored where the block's hash is not here, nor while it does not last", async () => {
    const cache = new AnswerCache();
    const settled = question<string>("settled", { isLasting: (text) => text !== "pending" });
    for (const text of ["first", "second"])
      expect(await cache.for(reader()).of(texts, { at: undefined, key: "sum" }, async () => text)).toBe(text);
    for (const text of ["pending", "done", "too late"]) await cache.for(reader()).of(settled, at(1), async () => text);
    expect(cache.for(reader()).get(settled, at(1))).toBe("done");
    expect(statsOf(cache, "texts")).toBeUndefined();
  });

  it("needs a question with a name that no other question has", () => {
    const cache = new AnswerCache();
    cache.for(reader()).set(texts, at(1), "answer");
    const namesake = question<number>("texts");
    expect(() => cache.for(reader()).set(namesake, at(2), 1)).toThrow("two questions are called texts");
  });
});

describe("clear()", () => {
  it("drops everything, including what is still being worked out", async () => {
    const cache = new AnswerCache();
    const { run, end } = work();
    cache.for(reader()).set(texts, at(1), "stored");
    const running = cache.for(reader()).of(texts, at(2), run);
    cache.clear();
    const anew = cache.for(reader()).of(texts, at(2), async () => "anew");
    end("of before");
    expect(await Promise.all([running, anew])).toEqual(["of before", "anew"]);
    expect([1, 2].map((block) => cache.for(reader()).get(texts, at(block)))).toEqual([undefined, "anew"]);
    cache.clear();
    expect(cache.stats().bytes).toBe(0);
    expect(statsOf(cache, "texts")).toMatchObject({ entries: 0, bytes: 0, evicted: 0, expired: 0 });
  });
});

interface Named {
  name: string;
  bytes: number;
}

const kinds = [0, 1, 2].map((i) => question<Named>(`kind ${i}`, { weigh: ({ bytes }) => bytes }));

interface Step {
  kind: (typeof kinds)[number];
  block: number;
  answer: Named;
}

/** What a request may do with the cache. */
const ways = {
  async of(cache: AnswerCache, { kind, block, answer }: Step) {
    expect((await cache.for(reader()).of(kind, at(block), async () => answer)).name).toBe(answer.name);
  },
  async set(cache: AnswerCache, { kind, block, answer }: Step) {
    cache.for(reader()).set(kind, at(block), answer);
  },
  async fail(cache: AnswerCache, { kind, block }: Step) {
    const broken = () => Promise.reject(new Error("no answer"));
    await cache
      .for(reader())
      .of(kind, at(block), broken)
      .catch(() => {});
  },
  async clear(cache: AnswerCache, { block }: Step) {
    if (block === 0) cache.clear();
  },
};

describe("the budget", () => {
  it("gives room to new answers, those used longest ago going first", () => {
    const cache = new AnswerCache({ mostBytes: 100_000 });
    const mine = cache.for(reader());
    for (const block of [1, 2, 3, 4]) mine.set(sized, at(block), { bytes: 24_000 });
    mine.get(sized, at(1));
    mine.set(sized, at(5), { bytes: 24_000 });
    const stored = [1, 2, 3, 4, 5].filter((block) => mine.get(sized, at(block)));
    expect(stored).toEqual([1, 3, 4, 5]);
    expect(statsOf(cache, "sized")).toMatchObject({ evicted: 1, entries: 4 });
  });

  it("gives no more than a quarter to one answer", () => {
    const cache = new AnswerCache({ mostBytes: 100_000 });
    cache.for(reader()).set(sized, at(1), { bytes: 1_000 });
    cache.for(reader()).set(sized, at(2), { bytes: 26_000 });
    expect(statsOf(cache, "sized")).toMatchObject({ refused: 1, entries: 1 });
  });

  it("holds under any load, and what is stored is what was worked out", async () => {
    const step = fc.record({
      block: fc.nat(60),
      kind: fc.constantFrom(...kinds),
      bytes: fc.nat(3_000),
      how: fc.constantFrom(...Object.values(ways)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 300 }), async (steps) => {
        const cache = new AnswerCache({ mostBytes: 20_000 });
        for (const { block, kind, bytes, how } of steps) {
          const answer = { name: `${kind.name} ${block}`, bytes };
          await how(cache, { kind, block, answer });
          expect([undefined, answer.name]).toContain(cache.for(reader()).get(kind, at(block))?.name);
          const { bytes: inUse, questions } = cache.stats();
          expect(inUse).toBeLessThanOrEqual(20_000);
          expect(questions.reduce((sum, one) => sum + one.bytes, 0)).toBe(inUse);
          expect(questions.every(({ entries }) => entries >= 0)).toBe(true);
        }
      }),
    );
  });
});

describe("an answer that nobody uses", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    vi.advanceTimersByTime(1_000);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is dropped after half a minute without anything else happening", () => {
    const cache = new AnswerCache();
    const mine = cache.for(reader());
    mine.set(texts, at(1), "one");
    mine.set(texts, at(2), "two");
    vi.advanceTimersByTime(25_000);
    expect(mine.get(texts, at(2))).toBe("two");
    vi.advanceTimersByTime(20_000);
    expect(statsOf(cache, "texts")).toMatchObject({ entries: 1, expired: 1 });
    expect(mine.get(texts, at(1))).toBeUndefined();
    vi.advanceTimersByTime(60_000);
    expect(cache.stats().bytes).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stays for longer where its question says so", () => {
    const cache = new AnswerCache();
    const lasting = question<string>("lasting", { unusedMs: 120_000 });
    cache.for(reader()).set(lasting, at(1), "one");
    vi.advanceTimersByTime(100_000);
    expect(cache.for(reader()).get(lasting, at(1))).toBe("one");
    vi.advanceTimersByTime(140_000);
    expect(cache.stats().bytes).toBe(0);
  });
});

describe("answers about many things", () => {
  it("are worked out at once where they are not stored, and come in the order of the things", async () => {
    const cache = new AnswerCache().for(reader());
    const about = (...blocks: number[]) =>
      cache.ofEach(texts, { items: blocks, placeOf: at }, async (missing) => {
        worked.push([...missing]);
        return missing.map((block) => `of ${block}`);
      });
    const worked: number[][] = [];
    expect(await about(2)).toEqual(["of 2"]);
    expect(await about(3, 2, 1)).toEqual(["of 3", "of 2", "of 1"]);
    expect(await about(1, 2, 3)).toEqual(["of 1", "of 2", "of 3"]);
    expect(await about()).toEqual([]);
    expect(worked).toEqual([[2], [3, 1]]);
  });
});
