import { describe, expect, it } from "vitest";
import { type ChangeRow, changing, RecentChanges } from "../../gateway/database/recent-changes.ts";

const hashOf = (block: number, branch = "a") => `0x${branch}${block}`;
const at = (block: number, branch = "a") => ({ block, hash: hashOf(block, branch) });
const POOL = changing.v3Pool(7);
const OTHER = changing.v3Pool(8);

/** Rows of blocks `from` to `head`, with what they changed. */
function rowsOf(
  { from, head, finalized = 0, branch = "a" }: { from: number; head: number; finalized?: number; branch?: string },
  changed: Record<number, string[]> = {},
): ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (let block = from; block <= head; block += 1) {
    rows.push({ head, finalized, block, hash: hashOf(block, branch), thing: null });
    for (const thing of changed[block] ?? []) rows.push({ head, finalized, block, hash: null, thing });
  }
  return rows;
}

const begun = () => new RecentChanges({ block: 100, hash: hashOf(100), finalized: 80 });

describe("what blocks have changed", () => {
  it("names the block that last changed a thing, and the first one followed where none has", () => {
    const changes = begun();
    expect(changes.follow(rowsOf({ from: 100, head: 103, finalized: 80 }, { 102: [POOL] }))).toBe(true);
    expect(changes.sameSince(at(103), [POOL])).toBe(hashOf(102));
    expect(changes.sameSince(at(103), [OTHER])).toBe(hashOf(100));
    expect(changes.sameSince(at(103), [OTHER, POOL])).toBe(hashOf(102));
    expect(changes.sameSince(at(101), [OTHER])).toBe(hashOf(100));
  });

  it("says nothing of a block before the last change, which may have come after another one", () => {
    const changes = begun();
    changes.follow(rowsOf({ from: 100, head: 103, finalized: 80 }, { 101: [POOL], 103: [POOL] }));
    expect(changes.sameSince(at(102), [POOL])).toBe(hashOf(102));
  });

  it("says nothing of blocks that it has not followed, and of other branches", () => {
    const changes = begun();
    changes.follow(rowsOf({ from: 100, head: 103, finalized: 80 }));
    for (const place of [at(99), at(104), at(102, "b"), { block: 102, hash: undefined }])
      expect(changes.sameSince(place, [POOL])).toBe(place.hash);
  });

  it("does not go on from a block that was replaced, nor over blocks whose versions are final by now", () => {
    expect(begun().follow(rowsOf({ from: 100, head: 103, finalized: 80, branch: "b" }))).toBe(false);
    expect(begun().follow(rowsOf({ from: 100, head: 103, finalized: 101 }))).toBe(false);
    expect(begun().follow([])).toBe(false);
    expect(begun().follow(rowsOf({ from: 100, head: 103, finalized: 100 }))).toBe(true);
  });

  it("takes the same rows twice, as two requests may have read them", () => {
    const changes = begun();
    const rows = rowsOf({ from: 100, head: 103, finalized: 80 }, { 102: [POOL] });
    expect([changes.follow(rows), changes.follow(rows)]).toEqual([true, true]);
    expect(changes.sameSince(at(103), [POOL])).toBe(hashOf(102));
  });
});
