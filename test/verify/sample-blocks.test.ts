// Sampled blocks: always the corners of a token's life, never a block outside the index, reproducible by seed.
import fc from "fast-check";
import type { Address } from "viem";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../machine/command-line.ts";
import { parsePlan } from "../../verify/arguments.ts";
import { sampleBlocks, seededRandom } from "../../verify/sample-blocks.ts";
import { lifeOf } from "../../verify/served-answers.ts";
import { accountOf } from "../support/reference-ledger.ts";

const life = fc.tuple(fc.nat(50), fc.nat(500), fc.nat(500), fc.nat(500)).map(([start, before, during, after]) => ({
  start,
  first: start + before,
  last: start + before + during,
  head: start + before + during + after,
}));

describe("sample blocks", () => {
  it("are distinct, ascending, within the index, as many as asked or all", () => {
    fc.assert(
      fc.property(life, fc.integer({ min: 5, max: 80 }), fc.string(), (lived, count, seed) => {
        const blocks = sampleBlocks(lived, count, seededRandom(seed));
        expect(blocks).toEqual([...new Set(blocks)].sort((a, b) => a - b));
        expect(blocks.length).toBe(Math.min(count, lived.head - lived.start + 1));
        expect(blocks[0]).toBeGreaterThanOrEqual(lived.start);
        expect(blocks.at(-1)).toBeLessThanOrEqual(lived.head);
      }),
    );
  });

  it("hold the first and last event, their neighbours and the head", () => {
    fc.assert(
      fc.property(life, fc.integer({ min: 5, max: 80 }), (lived, count) => {
        const { start, first, last, head } = lived;
        const corners = [first, last, head, first - 1, last + 1].filter((block) => block >= start && block <= head);
        expect(sampleBlocks(lived, count, seededRandom("x"))).toEqual(expect.arrayContaining(corners));
      }),
    );
  });

  it("reach before, into and beyond the token's life", () => {
    const lived = { start: 0, first: 1_000, last: 2_000, head: 3_000 };
    const blocks = sampleBlocks(lived, 60, seededRandom("spread"));
    expect(blocks.filter((block) => block < 999).length).toBeGreaterThan(2);
    expect(blocks.filter((block) => block > 1_000 && block < 2_000).length).toBeGreaterThan(20);
    expect(blocks.filter((block) => block > 2_001).length).toBeGreaterThan(2);
  });

  it("repeat with their seed", () => {
    const lived = { start: 0, first: 100, last: 200, head: 3_000 };
    const of = (seed: string) => sampleBlocks(lived, 20, seededRandom(seed));
    expect(of("a")).toEqual(of("a"));
    expect(of("a")).not.toEqual(of("b"));
  });
});

describe("a token's life", () => {
  it("goes from its accounts' first block to their last, however many there are", () => {
    const rows = Array.from({ length: 150_000 }, (_, n) => ({
      account: accountOf(n) as Address,
      first: n,
      last: n + 1,
    }));
    const { accounts, first, last } = lifeOf(rows.slice(7), 200_000);
    expect([accounts.length, first, last]).toEqual([149_993, 7, 150_000]);
  });

  it("is one block, the last one, where there is no account", () => {
    expect(lifeOf([], 9)).toEqual({ accounts: [], first: 9, last: 9 });
  });
});

describe("the command line of verify", () => {
  it.each([
    [[]],
    [["--all", "--token", `0x${"1".repeat(40)}`]],
    [["--token", "0x12"]],
    [["--token", `0x${"1".repeat(40)}`, "--block", "-1"]],
    [["--all", "--samples", "0"]],
    [["--all", "--samples", "1.5"]],
    [["--everything"]],
    [["--fresh-quotes", "none"]],
  ])("refuses %j with one line", (argv) => {
    expect(() => parsePlan(argv)).toThrow(UsageError);
  });

  it("lower-cases the token and is strict about it", () => {
    const plan = parsePlan(["--token", `0x${"Ab".repeat(20)}`, "--block", "7"]);
    expect(plan).toMatchObject({ subject: "tokens", only: `0x${"ab".repeat(20)}`, block: 7, isStrict: true });
  });

  it("counts new blocks", () => {
    const plan = { subject: "fresh-quotes", only: undefined, freshQuotes: 20 };
    expect(parsePlan(["--fresh-quotes", "20"])).toMatchObject({ ...plan, isReorg: false });
    expect(parsePlan(["--fresh-quotes", "20", "--reorg"])).toMatchObject({ ...plan, isReorg: true });
  });

  it("is not strict about all tokens unless asked", () => {
    expect(parsePlan(["--all"])).toMatchObject({ isStrict: false });
    expect(parsePlan(["--all", "--strict", "--seed", "s"])).toMatchObject({ isStrict: true, seed: "s" });
  });
});
