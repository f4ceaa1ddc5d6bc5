// bench/figures/<benchmark>.json: the last full run of every phase, with its claims and where it ran. Runs write these files,
// and docs/benchmarks.md is made from them.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../machine/project-root.ts";
import type { Claim } from "./claim.ts";

export interface RecordedRun {
  command: string;
  /** Day, such as 2026-11-23. */
  at: string;
  /** Short hash; with `+` when files were changed that are not committed. */
  commit: string;
  machine: string;
  /** What else the machine did: the load before the run, or a description. */
  load: string;
  claims: readonly Claim[];
}

/** By phase. */
export type RecordedRuns = Readonly<Record<string, RecordedRun>>;

const FOLDER = "bench/figures";

export const recordedFile = (bench: string): string => `${FOLDER}/${bench}.json`;

/** Runs of one benchmark; empty when it has not run yet. */
export function readRecordedRuns(bench: string): RecordedRuns {
  const file = join(projectRoot, recordedFile(bench));
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as RecordedRuns) : {};
}

/** Names of the benchmarks that have a file. */
export const recordedBenches = (): string[] =>
  readdirSync(join(projectRoot, FOLDER))
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .sort();

/** Replaces the phase's last run; the other phases keep theirs. */
export function recordRun(bench: string, phase: string, run: RecordedRun): void {
  mkdirSync(join(projectRoot, FOLDER), { recursive: true });
  const runs: RecordedRuns = { ...readRecordedRuns(bench), [phase]: run };
  writeFileSync(join(projectRoot, recordedFile(bench)), `${JSON.stringify(runs, null, 2)}\n`);
}
