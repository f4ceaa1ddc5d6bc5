// The base of a trial: a folder with logs, and the steps that end everything it started, in reverse order.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface TrialGround {
  folder: string;
  logFolder: string;
  /** Adds a step for the end; the last one runs first, and one that fails does not keep the others from running. */
  atEnd(step: () => Promise<unknown>): void;
  /** Resolves when `isTrue` resolves to true. @throws Error naming `what` */
  waitFor(what: string, isTrue: () => Promise<boolean> | boolean, timeoutMs?: number): Promise<void>;
  /** Runs the steps and removes the folder; prints where it is instead if something failed or it is preserved. */
  stop(end?: { hasFailed: boolean }): Promise<void>;
}

export function openGround(name: string, isPreserved: boolean): TrialGround {
  const folder = mkdtempSync(join(tmpdir(), `tidemark-${name}-`));
  const logFolder = join(folder, "logs");
  mkdirSync(logFolder);
  const steps: (() => Promise<unknown>)[] = [];
  return {
    folder,
    logFolder,
    atEnd(step) {
      steps.push(step);
    },
    async waitFor(what, isTrue, timeoutMs = 60_000) {
      for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) if (await isTrue()) return;
      throw new Error(`${what}: not within ${timeoutMs / 1000} s; logs in ${logFolder}`);
    },
    async stop({ hasFailed } = { hasFailed: false }) {
      for (const step of steps.splice(0).reverse()) await step().catch((error: unknown) => console.error(error));
      if (isPreserved || hasFailed) console.log(`logs: ${logFolder}`);
      else rmSync(folder, { recursive: true, force: true });
    },
  };
}
