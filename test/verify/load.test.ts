// What `npm run load` works out by itself: when requests are due, quantiles, the slope of memory, the highest rate.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRate } from "../../trials/load/find-rate.ts";
import { minuteMeans, residentBytes, slopePerMinute } from "../../trials/load/memory.ts";
import { drawQuestion, type Question, questionsOf } from "../../trials/load/mix.ts";
import { beginAtRate } from "../../trials/load/open-loop.ts";
import { quantile, Tally } from "../../trials/load/tally.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";

describe("requests of an open loop", () => {
  const dueAt = async (seed: string) => {
    const due: number[] = [];
    const stopping = new AbortController().signal;
    const pace = { rate: 2_000, seconds: 0.2, random: seededRandom(seed), stopping };
    await beginAtRate(pace, (at) => due.push(at));
    return due.map((at) => at - (due[0] ?? 0));
  };

  it("are due at the times that the seed says, however busy the process is", async () => {
    const [one, other] = [await dueAt("a"), await dueAt("a")];
    expect(other.length).toBe(one.length);
    expect(one).toEqual([...one].sort((a, b) => a - b));
    const apart = one.map((at, i) => Math.abs(at - (other[i] ?? Number.NaN)));
    expect(Math.max(...apart)).toBeLessThan(1e-6);
    expect(one.length).toBeGreaterThan(320);
    expect(one.length).toBeLessThan(480);
  });
});

describe("the highest rate", () => {
  it("is found within a few percent, from wherever it is looked for", async () => {
    const rates = fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 5_000 }));
    await fc.assert(
      fc.asyncProperty(rates, async ([limit, first]) => {
        let trials = 0;
        const found = await findRate(
          async (rate) => {
            trials += 1;
            return rate <= limit;
          },
          { first },
        );
        expect(found).toBeLessThanOrEqual(limit);
        expect(found * 1.07 + 1).toBeGreaterThanOrEqual(limit);
        expect(trials).toBeLessThan(30);
      }),
      { numRuns: 100 },
    );
  });

  it("is 0 when nothing is borne", async () => {
    expect(await findRate(async () => false, { first: 300 })).toBe(0);
  });
});

describe("figures", () => {
  it("quantiles are values that were measured", () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    expect([0.5, 0.95, 0.99, 1].map((part) => quantile(hundred, part))).toEqual([50, 95, 99, 100]);
    expect(quantile([7], 0.5)).toBe(7);
    expect(quantile([], 0.99)).toBe(0);
  });

  it("count every answer, and as failures those that should not be", () => {
    const tally = new Tally();
    const take = (name: string, outcome: string, isLawful: boolean) =>
      tally.take(name, { sent: { outcome, start: "why" }, ms: 5, isLawful });
    take("a", "200", true);
    take("a", "404", true);
    take("a", "503", false);
    take("b", "none", false);
    expect(tally.of("a")).toMatchObject({ requests: 3, failures: 1, p50: 5 });
    expect([...tally.all("all").errors]).toEqual([
      ["404", 1],
      ["503", 1],
      ["none", 1],
    ]);
    expect(tally.all("all")).toMatchObject({ requests: 4, failures: 2 });
  });

  it("read the memory with and without a prefix, and find its slope", () => {
    expect(residentBytes("# TYPE x\nprocess_resident_memory_bytes 123\n")).toBe(123);
    expect(residentBytes('a_process_resident_memory_bytes{a="b"} 1.5e8\n')).toBe(150_000_000);
    expect(residentBytes("nothing")).toBeUndefined();
    // a steep start, then 2 MB a minute
    const samples = Array.from({ length: 121 }, (_, i) => ({
      seconds: i * 5,
      bytes: i < 24 ? i * 1_000_000 : 50_000_000 + (i * 5 * 2_000_000) / 60,
    }));
    expect(slopePerMinute(samples)).toBeCloseTo(2, 6);
    expect(slopePerMinute(samples.slice(0, 2))).toBeUndefined();
    expect(minuteMeans(samples)).toHaveLength(11);
  });
});

describe("the mix", () => {
  const address = (n: number) => `0x${String(n).padStart(40, "0")}`;
  const world = {
    ...{
      chainId: 1,
      firstBlock: 10,
      lastBlock: 20,
      vaults: [address(1)],
      launches: [],
      positions: [{ id: "7", manager: address(6) }],
    },
    tokens: [{ address: address(2), firstBlock: 12, holders: [address(3), address(4)] }],
    ...{ priced: [address(2)], pooled: [address(2)] },
    swaps: [{ tokenIn: address(2), tokenOut: address(5), amount: "1" }],
  };

  it("asks each question as often as it says, and none about what does not exist", () => {
    const questions = questionsOf(world);
    expect(questions.map(({ name }) => name)).not.toContain("launch, a page");
    expect(questions.reduce((sum, { percent }) => sum + percent, 0)).toBeCloseTo(100, 6);
    const random = seededRandom("mix");
    const drawn = Array.from({ length: 20_000 }, () => drawQuestion(random, questions).name);
    const share = ({ name }: Question) => (drawn.filter((one) => one === name).length * 100) / drawn.length;
    for (const question of questions) expect(Math.abs(share(question) - question.percent)).toBeLessThan(1.5);
  });

  it("names blocks of the token's life", () => {
    const random = seededRandom("blocks");
    const blocks = questionsOf(world)
      .filter(({ name }) => name.startsWith("balances") && !name.includes("POST"))
      .flatMap(({ draw }) =>
        Array.from({ length: 200 }, () => Number(/blockNumber=(\d+)/.exec(draw(random).path)?.[1])),
      );
    expect(blocks.every((block) => block === 99_999_999_999 || (block >= 12 && block <= 20))).toBe(true);
    expect(new Set(blocks).size).toBe(10);
    expect(blocks.filter((block) => block === 99_999_999_999).length).toBeGreaterThan(120);
  });
});
