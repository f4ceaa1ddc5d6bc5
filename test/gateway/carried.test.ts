// What is made once for an object and kept on it.
import { expect, test } from "vitest";
import { carriedBy } from "../../gateway/carried.ts";

test("is made once for each carrier, apart from what others make for it", () => {
  const carrier = () => ({ carried: new Map<symbol, unknown>() });
  const [first, second] = [carrier(), carrier()];
  const listOf = carriedBy((): string[] => []);
  const otherOf = carriedBy((): string[] => []);
  listOf(first).push("one");
  expect(listOf(first)).toEqual(["one"]);
  expect(listOf(second)).toEqual([]);
  expect(otherOf(first)).toEqual([]);
});

test("knows its carrier, and may be nothing much", () => {
  let made = 0;
  const isLateOf = carriedBy((place: { carried: Map<symbol, unknown>; block: number }) => {
    made += 1;
    return place.block > 5;
  });
  const place = { carried: new Map<symbol, unknown>(), block: 3 };
  expect([isLateOf(place), isLateOf(place), made]).toEqual([false, false, 1]);
});
