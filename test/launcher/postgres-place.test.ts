// Where a cluster lies that its server's account could not reach below the clone, and which of these folders are still wanted.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serverAccount } from "../../launcher/postgres/binaries.ts";
import { findPlace, removePlace, unnamedPlaces } from "../../launcher/postgres/place.ts";

const account = serverAccount();
let made: string[];
beforeEach(() => {
  made = [];
});
afterEach(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A clone that its owner alone can enter, with its relocated cluster. */
function clone(base: string) {
  const home = mkdtempSync(join(base, "tidemark-test-"));
  const dataDir = join(home, "postgres");
  const { folder } = findPlace(dataDir, account);
  made.push(home, folder);
  return { home, dataDir, folder };
}

// Only root runs the server as somebody else.
describe.runIf(account !== undefined)("unnamedPlaces", () => {
  it("names, and does not give up, the database of a clone that was moved away", () => {
    const { home, dataDir, folder } = clone("/var/tmp");
    const moved = `${home}-old`;
    made.push(moved);
    renameSync(home, moved);
    expect(unnamedPlaces(dataDir)).toEqual({ abandoned: [], left: [folder] });
    mkdirSync(home, { mode: 0o700 });
    const next = findPlace(dataDir, account);
    made.push(next.folder);
    expect(next.folder).not.toBe(folder);
    expect(unnamedPlaces(dataDir)).toEqual({ abandoned: [], left: [folder] });
    expect(unnamedPlaces(join(moved, "postgres"))).toEqual({ abandoned: [], left: [] });
    expect(findPlace(join(moved, "postgres"), account).folder).toBe(folder);
  });

  it("names nothing while the data directory names its own", () => {
    const { dataDir, folder } = clone("/var/tmp");
    expect(unnamedPlaces(dataDir)).toEqual({ abandoned: [], left: [] });
    removePlace(dataDir, { folder, isRelocated: true });
    expect(existsSync(folder)).toBe(false);
  });

  it("gives up what was made for a temporary data directory that is gone", () => {
    const { home, dataDir, folder } = clone(tmpdir());
    rmSync(home, { recursive: true });
    expect(unnamedPlaces(dataDir).abandoned).toContain(folder);
  });
});
