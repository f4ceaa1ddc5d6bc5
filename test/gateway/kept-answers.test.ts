// What is kept of blocks: how much, and for how long.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keepAnswers } from "../../gateway/ledger/kept-answers.ts";

const at = (block: number) => ({ index: "index", point: { block, hash: `0x${block}` }, about: "sum" });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("answers kept of blocks", () => {
  test("go when nobody has asked for them in half a minute and another one comes", () => {
    const kept = keepAnswers<string>({ most: 100, weigh: () => 1 });
    kept.keep(at(1), "one");
    kept.keep(at(2), "two");
    vi.advanceTimersByTime(25_000);
    expect(kept.known(at(2))).toBe("two");
    vi.advanceTimersByTime(25_000);
    kept.keep(at(3), "three");
    expect([1, 2, 3].map((block) => kept.known(at(block)))).toEqual([undefined, "two", "three"]);
  });

  test("make room for others by weight and by number, those asked for longest ago first", () => {
    const byWeight = keepAnswers<string>({ most: 6, weigh: ({ length }) => length });
    for (const [block, text] of ["aa", "bb", "cc"].entries()) byWeight.keep(at(block), text);
    byWeight.known(at(0));
    byWeight.keep(at(3), "dd");
    expect([0, 1, 2, 3].map((block) => byWeight.known(at(block)))).toEqual(["aa", undefined, "cc", "dd"]);

    const byNumber = keepAnswers<string>({ most: 6, mostAnswers: 2, weigh: () => 1 });
    for (const [block, text] of ["a", "b", "c"].entries()) byNumber.keep(at(block), text);
    expect([0, 1, 2].map((block) => byNumber.known(at(block)))).toEqual([undefined, "b", "c"]);
  });

  test("leave room when they go by age: what came after them stays", () => {
    const kept = keepAnswers<string>({ most: 4, weigh: ({ length }) => length });
    kept.keep(at(1), "aaaa");
    vi.advanceTimersByTime(200_000);
    kept.keep(at(2), "bb");
    kept.keep(at(3), "cc");
    expect([1, 2, 3].map((block) => kept.known(at(block)))).toEqual([undefined, "bb", "cc"]);
  });
});
