import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { largestFirst, largestKeyFirst } from "../../core/largest-first.ts";

// few of each, so that many are equal, and some of every size
const value = fc.oneof(
  fc.constantFrom(0, 1, 2 ** 53, Number.MIN_VALUE, Number.MAX_VALUE),
  fc.double({ min: 0, noNaN: true }),
);
const key = fc.oneof(fc.nat(3), fc.constantFrom(2 ** 16, 2 ** 31, 2 ** 32 - 1), fc.nat(2 ** 31));
const backwards = (count: number) => Uint32Array.from({ length: count }, (_, i) => count - 1 - i);

describe("The order of many numbers", () => {
  it("is that of comparing them: the largest first, equal ones as they are given", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value, key), { maxLength: 200 }), (drawn) => {
        const given = backwards(drawn.length);
        const by = (part: 0 | 1) => {
          const of = (i: number) => (drawn[i] as [number, number])[part];
          return [...given].sort((a, b) => of(b) - of(a) || b - a);
        };
        const values = Float64Array.from(drawn, ([one]) => one);
        expect([...largestFirst(given, values)]).toEqual(by(0));
        const keys = Uint32Array.from(drawn, ([, one]) => one);
        expect([...largestKeyFirst(given, keys)]).toEqual(by(1));
      }),
    );
  });

  it("leaves what it is given as it was, and may be of a part of a buffer", () => {
    const [all, given] = [Float64Array.of(9, 1, 3, 2, 9), Uint32Array.of(0, 1, 2)];
    expect([...largestFirst(given, all.subarray(1, 4))]).toEqual([1, 2, 0]);
    expect([[...all], [...given]]).toEqual([
      [9, 1, 3, 2, 9],
      [0, 1, 2],
    ]);
  });
});
