// scripts/plan/measured.json: what a plan is worked out from. Only this benchmark writes it, one run at a time.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import type { Figures } from "../../core/sizing/figures.ts";
import { projectFolder } from "../index/project-folder.ts";

export const MEASURED_FILE = "scripts/plan/measured.json";

/** A figure, and what it was worked out from. */
interface Figure {
  value: number;
  from: string;
  run: string;
}

interface MeasuredFile {
  runs: Record<string, { at: string; command: string; commit: string; machine: string; load: number; raw: unknown }>;
  figures: Record<string, Record<string, Figure>>;
}

/** Some figures of one group, each with the sentence that says how it was worked out. */
export type Group<Name extends keyof Figures> = { [Key in keyof Figures[Name]]?: readonly [number, string] };

export type Groups = { [Name in keyof Figures]?: Group<Name> };

const read = (): MeasuredFile => {
  const file = join(projectFolder, MEASURED_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as MeasuredFile) : { runs: {}, figures: {} };
};

/** What a run counted; undefined when it has not been made. */
export const rawOf = (run: string): unknown => read().runs[run]?.raw;

/** Adds a run's figures to those of other runs, in place of older ones of the same names. `raw`: what was counted. */
export function writeFigures(run: { name: string; command: string; raw: unknown; figures: Groups }): void {
  const measured = read();
  measured.runs[run.name] = {
    at: new Date().toISOString().slice(0, 10),
    command: run.command,
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: projectFolder, encoding: "utf8" }).trim(),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? ""}, Node ${process.versions.node}`,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    raw: run.raw,
  };
  for (const [group, figures] of Object.entries(run.figures))
    for (const [name, [value, from]] of Object.entries(figures as Record<string, readonly [number, string]>)) {
      const place = measured.figures[group] ?? {};
      measured.figures[group] = { ...place, [name]: { value: Number(value.toPrecision(4)), from, run: run.name } };
    }
  writeFileSync(join(projectFolder, MEASURED_FILE), `${JSON.stringify(measured, null, 2)}\n`);
}
