// Values that are made once for an object and stored on it.
import { expect, test } from "vitest";
import { memoPerObject } from "../../gateway/memo-per-object.ts";

test("a value is made once for each object, apart from other values of that object", () => {
  const object = () => ({ memos: new Map<symbol, unknown>() });
  const [first, second] = [object(), object()];
  const listOf = memoPerObject((): string[] => []);
  const otherOf = memoPerObject((): string[] => []);
  listOf(first).push("one");
  expect(listOf(first)).toEqual(["one"]);
  expect(listOf(second)).toEqual([]);
  expect(otherOf(first)).toEqual([]);
});

test("a value is made from its object, and made once even where it is false", () => {
  let made = 0;
  const isLateOf = memoPerObject((place: { memos: Map<symbol, unknown>; block: number }) => {
    made += 1;
    return place.block > 5;
  });
  const place = { memos: new Map<symbol, unknown>(), block: 3 };
  expect([isLateOf(place), isLateOf(place), made]).toEqual([false, false, 1]);
});
