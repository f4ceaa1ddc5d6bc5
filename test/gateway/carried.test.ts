// Values that are made once for an object and stored on it.
import { expect, test } from "vitest";
import { carriedBy } from "../../gateway/carried.ts";

test("a value is made once for each object that carries it, apart from other values of that object", () => {
  const carrier = () => ({ carried: new Map<symbol, unknown>() });
  const [first, second] = [carrier(), carrier()];
  const listOf = carriedBy((): string[] => []);
  const otherOf = carriedBy((): string[] => []);
  listOf(first).push("one");
  expect(listOf(first)).toEqual(["one"]);
  expect(listOf(second)).toEqual([]);
  expect(otherOf(first)).toEqual([]);
});

test("a value is made from its carrier, and made once even where it is false", () => {
  let made = 0;
  const isLateOf = carriedBy((place: { carried: Map<symbol, unknown>; block: number }) => {
    made += 1;
    return place.block > 5;
  });
  const place = { carried: new Map<symbol, unknown>(), block: 3 };
  expect([isLateOf(place), isLateOf(place), made]).toEqual([false, false, 1]);
});
