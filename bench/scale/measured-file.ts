// plan/measured.json: the basis of plans. Only this benchmark writes it: runs with everything that they counted, one run
// at a time, and the figures that follow from them.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import type { Figures } from "../../core/sizing/figures.ts";
import { projectRoot } from "../../machine/project-root.ts";
import type { BackfillRun } from "./backfill.ts";
import type { LakeRun, RowsRun } from "./lake.ts";
import type { PaceRun } from "./pace.ts";
import type { RequestRun } from "./requests.ts";

export const MEASURED_FILE = "plan/measured.json";

/** What each run counted. */
export interface Runs {
  requests?: RequestRun;
  backfill?: Record<"few" | "empty" | "many", BackfillRun>;
  pace?: PaceRun;
  rows?: RowsRun;
  lake?: LakeRun;
}

/** Some figures of one group, each with a text that says how it was worked out. */
export type Group<Name extends keyof Figures> = { [Key in keyof Figures[Name]]?: readonly [number, string] };

export type Groups = { [Name in keyof Figures]?: Group<Name> };

interface MeasuredFile {
  runs: Record<string, { at: string; command: string; commit: string; machine: string; load: number; raw: unknown }>;
  figures: Record<string, Record<string, { value: number; from: string; run: string }>>;
}

const DIGITS = 4;

const read = (): MeasuredFile => {
  const file = join(projectRoot, MEASURED_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as MeasuredFile) : { runs: {}, figures: {} };
};

const write = (content: MeasuredFile): void =>
  writeFileSync(join(projectRoot, MEASURED_FILE), `${JSON.stringify(content, null, 2)}\n`);

/** What the last run of each name counted. */
export const readRuns = (): Runs =>
  Object.fromEntries(Object.entries(read().runs).map(([name, { raw }]) => [name, raw])) as Runs;

/** Replaces the last run of this name. */
export function writeRun<Name extends keyof Runs>(name: Name, command: string, raw: Runs[Name]): void {
  const content = read();
  content.runs[name] = {
    at: new Date().toISOString().slice(0, 10),
    command,
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: projectRoot, encoding: "utf8" }).trim(),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? ""}, Node ${process.versions.node}`,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    raw,
  };
  write(content);
}

/** Works every figure out again. `derive`: returns figures by the run that they come from. */
export function writeFigures(derive: (runs: Runs) => Partial<Record<keyof Runs, Groups>>): void {
  const content = read();
  content.figures = {};
  for (const [run, groups] of Object.entries(derive(readRuns())))
    for (const [group, figures] of Object.entries(groups))
      for (const [name, [value, from]] of Object.entries(figures as Record<string, readonly [number, string]>)) {
        const place = content.figures[group] ?? {};
        content.figures[group] = { ...place, [name]: { value: Number(value.toPrecision(DIGITS)), from, run } };
      }
  write(content);
}
