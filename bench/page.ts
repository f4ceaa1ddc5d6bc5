// The table of docs/benchmarks.md: every claim with its figure of the last full run, from bench/figures.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../machine/project-root.ts";
import { withTables } from "../plan/scale-tables.ts";
import type { Claim } from "./claim.ts";
import { type RecordedRun, type RecordedRuns, readRecordedRuns, recordedBenches } from "./recorded-runs.ts";

export const DOCUMENT = "docs/benchmarks.md";
export const MARK = "claims";

const HEAD = ["claim", "figure", "peer", "bar", "command", "day, commit", "machine"];

/** A figure that has a peer but no bar is not a claim: it stays in the file. */
const isShown = ({ peer, bar }: Claim): boolean => peer === undefined || bar !== undefined;

function rowOf({ what, figure, peer, bar, isMet }: Claim, { command, at, commit, machine, load }: RecordedRun): string {
  const cells = [
    ...[what, figure],
    peer === undefined ? "" : `${peer.name} ${peer.figure}, ratio ${peer.ratio.toFixed(2)}`,
    bar === undefined ? "" : `${bar}${isMet === undefined ? "" : isMet ? ", met" : ", **missed**"}`,
    ...[`\`${command}\``, `${at}, ${commit}`, `${machine}; ${load}`],
  ];
  // text after a bar in a cell would be another cell
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** A Markdown table of the runs of several benchmarks, in the order in which they are given. */
export function claimsTable(benches: readonly RecordedRuns[]): string {
  const rows = benches.flatMap((runs) =>
    Object.values(runs).flatMap((run) => run.claims.filter(isShown).map((claim) => rowOf(claim, run))),
  );
  return [`| ${HEAD.join(" | ")} |`, `|${HEAD.map(() => "---|").join("")}`, ...rows].join("\n");
}

/** `document` with the table of all recorded runs, in the order in which it describes the benchmarks. */
export function pageOf(document: string): string {
  // file names have no colon
  const headings = [...document.matchAll(/^### `([^`]+)`/gm)].map(([, name = ""]) => name.replaceAll(":", "-"));
  const benches = recordedBenches().sort((one, other) => headings.indexOf(one) - headings.indexOf(other));
  return withTables(document, { [MARK]: claimsTable(benches.map(readRecordedRuns)) });
}

export function writePage(): void {
  const path = join(projectRoot, DOCUMENT);
  writeFileSync(path, pageOf(readFileSync(path, "utf8")));
  console.log(`written: ${DOCUMENT}`);
}
