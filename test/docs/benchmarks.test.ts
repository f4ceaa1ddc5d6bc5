// docs/benchmarks.md says what bench/figures says.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Claim } from "../../bench/claim.ts";
import { claimsTable, pageOf } from "../../bench/page.ts";
import { readRecordedRuns, recordedBenches } from "../../bench/recorded-runs.ts";

const document = readFileSync(new URL("../../docs/benchmarks.md", import.meta.url), "utf8");

const runOf = (...claims: Claim[]) => ({
  run: {
    ...{
      command: "npm run bench -- x",
      at: "2026-01-02",
      commit: "abc1234",
      machine: "2 cores",
      load: "load 0.1 before it",
    },
    claims,
  },
});

describe("docs/benchmarks.md", () => {
  it("has the table of all recorded runs; `npm run bench -- page` writes it", () => {
    expect(pageOf(document)).toBe(document);
    // a figure that was typed by hand is noticed
    expect(pageOf(document.replace("26 ms", "16 ms"))).toBe(document);
  });

  it("says of every recorded run its command, day, commit, machine and load, and of every bar whether it was met", () => {
    for (const bench of recordedBenches())
      for (const [phase, run] of Object.entries(readRecordedRuns(bench))) {
        const { command, at, commit, machine, load, claims } = run;
        expect([bench, phase, at, commit]).toEqual([
          ...[bench, phase, expect.stringMatching(/^20\d\d-\d\d-\d\d$/), expect.stringMatching(/^[0-9a-f]{7,}\+?$/)],
        ]);
        expect(command).toMatch(/^npm run /);
        expect([machine, load].every((text) => text.length > 3)).toBe(true);
        expect(claims.filter(({ bar, isMet }) => (bar === undefined) !== (isMet === undefined))).toEqual([]);
      }
  });
});

describe("the table of claims", () => {
  it("has a row for each claim with its peer, its bar and where it was measured", () => {
    const claim: Claim = {
      ...{ what: "all holders | late", figure: "5 ms", peer: { name: "row floor", figure: "10 ms", ratio: 0.5 } },
      ...{ bar: "<= 1", isMet: true },
    };
    expect(
      claimsTable([runOf(claim)])
        .split("\n")
        .at(-1),
    ).toBe(
      "| all holders \\| late | 5 ms | row floor 10 ms, ratio 0.50 | <= 1, met | `npm run bench -- x` | 2026-01-02, abc1234 | 2 cores; load 0.1 before it |",
    );
  });

  it("says which bars were missed, and leaves out figures that are only compared with a peer's", () => {
    const peer = { name: "peer", figure: "1 ms", ratio: 2 };
    const rows = claimsTable([
      runOf({ what: "slow", figure: "9 s", bar: "<= 1 s", isMet: false }, { what: "beside", figure: "2 ms", peer }),
      runOf({ what: "alone", figure: "3 MB" }),
    ]);
    expect(
      rows
        .split("\n")
        .slice(2)
        .map((row) => row.split(" | ").slice(0, 4)),
    ).toEqual([
      ["| slow", "9 s", "", "<= 1 s, **missed**"],
      ["| alone", "3 MB", "", ""],
    ]);
  });
});
