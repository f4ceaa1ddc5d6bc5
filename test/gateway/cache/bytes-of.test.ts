// The cache's budget is in bytes: what it takes an answer for is compared with what V8 takes for it.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf } from "../../../gateway/cache/bytes-of.ts";

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

const used = (): number => {
  collect();
  // what buffers held is given back by the next one
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** In bytes, of what `make` makes so often that the rest of the process does not matter. */
function measured(make: (i: number) => unknown): number {
  const most = Math.ceil(8_000_000 / bytesOf(make(0)));
  const all = new Array<unknown>(most).fill(undefined);
  const before = used();
  for (let i = 0; i < most; i++) all[i] = make(i);
  return (used() - before) / all.length;
}

const hex = (i: number, length: number) => Buffer.from(i.toString(16).padStart(length, "0")).toString("latin1");
const address = (i: number) => `0x${hex(i, 40)}`;
const rows = (length: number, i: number) =>
  Array.from({ length }, (_, k) => ({ account: hex(i + k, 42), amount: BigInt(i + k + 1) * 10n ** 18n, block: k }));

describe("bytesOf", () => {
  it.each<[string, (i: number) => unknown]>([
    ["a text of 2,000 characters", (i) => hex(i, 2_000)],
    ["an amount", (i) => BigInt(i + 1) * 10n ** 22n],
    ["a small row", (i) => ({ account: hex(i, 42), name: null, block: i })],
    ["30 rows", (i) => rows(30, i)],
    ["3,000 rows", (i) => rows(3_000, i)],
    ["a map of 500 amounts", (i) => new Map(rows(500, i).map(({ account, amount }) => [account, amount]))],
    ["a map of lists", (i) => new Map(rows(100, i).map(({ account }) => [account, rows(3, i)]))],
    ["a set of 500 addresses", (i) => new Set(rows(500, i).map(({ account }) => account))],
    ["500 numbers", (i) => Array.from({ length: 500 }, (_, k) => i + k)],
    ["5,000 bytes", () => Buffer.alloc(5_000)],
  ])("is about what V8 takes for %s", (_, make) => {
    const part = bytesOf(make(7)) / measured(make);
    expect(part).toBeGreaterThan(0.65);
    expect(part).toBeLessThan(1.5);
  });

  it("looks at a few entries of a long list, and comes close to looking at all", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { minLength: 100, maxLength: 2_000 }), (lengths) => {
        const texts = lengths.map((length) => "x".repeat(length));
        const all = texts.reduce((sum, text) => sum + 8 + bytesOf(text), 32);
        expect(bytesOf(texts) / all).toBeGreaterThan(0.4);
        expect(bytesOf(texts) / all).toBeLessThan(2);
      }),
    );
    let visited = 0;
    const watched = Array.from({ length: 100_000 }, (_, i) =>
      Object.defineProperty({}, "account", {
        enumerable: true,
        get: () => {
          visited += 1;
          return address(i);
        },
      }),
    );
    bytesOf(watched);
    expect(visited).toBeLessThan(100);
  });
});
