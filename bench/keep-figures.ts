// Every figure of a benchmark's last run, beside the table that it prints.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./index/project-folder.ts";

const FOLDER = ".tidemark/bench";

/** Writes them, with the time of day; returns where they are, relative to the project. */
export function keepFigures(bench: string, figures: Record<string, unknown>): string {
  mkdirSync(join(projectFolder, FOLDER), { recursive: true });
  const file = `${FOLDER}/${bench}.json`;
  writeFileSync(join(projectFolder, file), JSON.stringify({ at: new Date().toISOString(), ...figures }, null, 2));
  return file;
}
