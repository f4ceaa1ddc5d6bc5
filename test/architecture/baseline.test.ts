// The list of what is still broken can only become shorter.
import { describe, expect, it } from "vitest";
import { differenceFrom, NO_DIFFERENCE, readBaseline } from "./baseline.ts";
import { laws } from "./laws.ts";

describe("The baseline of violations", () => {
  it("lets a violation pass that it lists", () => {
    expect(differenceFrom(["a imports b"], ["a imports b"])).toEqual(NO_DIFFERENCE);
  });

  it("names a violation that it does not list", () => {
    expect(differenceFrom(["a imports b"], ["a imports b", "b imports a"]).added).toEqual(["b imports a"]);
  });

  it("names an entry that occurs no more, so that a mended place cannot break again unseen", () => {
    expect(differenceFrom(["a imports b", "b imports a"], ["a imports b"]).gone).toEqual(["b imports a"]);
  });

  it("lists violations of laws that there are, each once and in order", () => {
    for (const [law, listed] of Object.entries(readBaseline())) {
      expect(Object.keys(laws)).toContain(law);
      expect(listed).toEqual([...new Set(listed)].sort());
      expect(listed).not.toEqual([]);
    }
  });
});
