// docs/benchmarks.md says what bench/figures says.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Claim } from "../../bench/claim.ts";
import { claimsText, pageOf } from "../../bench/page.ts";
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
  it("has the tables of all recorded runs; `npm run bench -- page` writes it", () => {
    expect(pageOf(document)).toBe(document);
    // a figure that was typed by hand is noticed
    const typed = document.replace(/^(\| [^|]+ \| )[^|]+(\|.*, met \|)$/m, "$11 ms $2");
    expect(typed).not.toBe(document);
    expect(pageOf(typed)).toBe(document);
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

describe("the tables of claims", () => {
  it("have a row for each claim with its peer and its bar, below where the run was measured", () => {
    const claim: Claim = {
      ...{ what: "all holders | late", figure: "5 ms", peer: { name: "row floor", figure: "10 ms", ratio: 0.5 } },
      ...{ bar: "<= 1", isMet: true },
    };
    const lines = claimsText([runOf(claim)]).split("\n");
    expect(lines[0]).toBe("1 of 1 bars are met; the others are marked **missed**.");
    expect(lines).toContain("`npm run bench -- x`: 2026-01-02, abc1234, on 2 cores; load 0.1 before it");
    expect(lines.at(-1)).toBe("| all holders \\| late | 5 ms | row floor 10 ms | 0.50 | <= 1, met |");
  });

  it("say which bars were missed, and leave out figures that are only compared with a peer's", () => {
    const peer = { name: "row floor", figure: "1 ms", ratio: 2 };
    const runs = [
      runOf({ what: "slow", figure: "9 s", bar: "<= 1 s", isMet: false }, { what: "beside", figure: "2 ms", peer }),
      runOf({ what: "alone", figure: "3 MB" }),
    ];
    const lines = claimsText(runs).split("\n");
    expect(lines[0]).toBe("0 of 1 bars are met; the others are marked **missed**.");
    expect(lines.filter((line) => /^\| (slow|beside|alone)/.test(line))).toEqual([
      "| slow | 9 s |  |  | <= 1 s, **missed** |",
      "| alone | 3 MB |  |  |  |",
    ]);
  });

  it("have the phases of one run together", () => {
    const { run } = runOf({ what: "one", figure: "1 ms" });
    const other = runOf({ what: "two", figure: "2 ms" }).run;
    expect(claimsText([{ first: run, second: other }]).match(/npm run bench -- x/g)).toHaveLength(1);
    expect(claimsText([{ first: run, second: { ...other, at: "2026-01-03" } }]).match(/bench -- x/g)).toHaveLength(2);
  });
});
