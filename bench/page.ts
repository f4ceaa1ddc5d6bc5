// The tables of docs/benchmarks.md: every claim with its figure of the last full run, from bench/figures.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../machine/project-root.ts";
import { withTables } from "../plan/scale-tables.ts";
import { type Claim, NAMED_BY_CLAIM } from "./claim.ts";
import { type RecordedRun, type RecordedRuns, readRecordedRuns, recordedBenches } from "./recorded-runs.ts";

export const DOCUMENT = "docs/benchmarks.md";
export const MARK = "claims";

const HEAD = ["claim", "figure", "peer", "ratio", "bar"];

/** A figure that has a peer but no bar is not a claim: it stays in the file. */
const isShown = ({ peer, bar }: Claim): boolean => peer === undefined || bar !== undefined;

// text after a bar in a cell would be another cell
const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

function claimRow({ what, figure, peer, bar, isMet }: Claim): string {
  return rowOf([
    ...[what, figure],
    ...(peer === undefined
      ? ["", ""]
      : [peer.name === NAMED_BY_CLAIM ? peer.figure : `${peer.name} ${peer.figure}`, peer.ratio.toFixed(2)]),
    bar === undefined ? "" : `${bar}${isMet === undefined ? "" : isMet ? ", met" : ", **missed**"}`,
  ]);
}

/** Phases that one command measured on the same day, commit and machine are one run. */
function runsOf(runs: RecordedRuns): RecordedRun[] {
  const merged = new Map<string, RecordedRun>();
  for (const run of Object.values(runs)) {
    const { command, at, commit, machine, load, claims } = run;
    const key = [command, at, commit, machine, load].join("\n");
    merged.set(key, { ...run, claims: [...(merged.get(key)?.claims ?? []), ...claims] });
  }
  return [...merged.values()];
}

function runTable({ command, at, commit, machine, load, claims }: RecordedRun): string[] {
  const rows = claims.filter(isShown).map(claimRow);
  if (rows.length === 0) return [];
  const place = `\`${command}\`: ${at}, ${commit}, on ${machine}; ${load}`;
  return [place, "", rowOf(HEAD), `|${HEAD.map(() => "---|").join("")}`, ...rows, ""];
}

/** The recorded runs of several benchmarks, in the order in which they are given: how many bars are met, then a table for each run. */
export function claimsText(benches: readonly RecordedRuns[]): string {
  const runs = benches.flatMap(runsOf);
  const bars = runs.flatMap(({ claims }) => claims.filter(({ bar }) => bar !== undefined));
  const met = bars.filter(({ isMet }) => isMet === true);
  return [
    `${met.length} of ${bars.length} bars are met; the others are marked **missed**.`,
    "",
    ...runs.flatMap(runTable),
  ]
    .join("\n")
    .trimEnd();
}

/** `document` with the tables of all recorded runs, in the order in which it describes the benchmarks. */
export function pageOf(document: string): string {
  // file names have no colon
  const headings = [...document.matchAll(/^### `([^`]+)`/gm)].map(([, name = ""]) => name.replaceAll(":", "-"));
  const benches = recordedBenches().sort((one, other) => headings.indexOf(one) - headings.indexOf(other));
  return withTables(document, { [MARK]: claimsText(benches.map(readRecordedRuns)) });
}

export function writePage(): void {
  const path = join(projectRoot, DOCUMENT);
  writeFileSync(path, pageOf(readFileSync(path, "utf8")));
  console.log(`written: ${DOCUMENT}`);
}
