// What a fault run stands on: a folder with logs, and everything that was started, ended in reverse order.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface ProofGround {
  folder: string;
  logFolder: string;
  /** Runs when the ground is left, the last one first; one that fails does not keep the others from it. */
  atEnd(step: () => Promise<unknown>): void;
  /** Resolves when `isTrue` does to true. @throws Error naming `what` */
  waitFor(what: string, isTrue: () => Promise<boolean> | boolean, timeoutMs?: number): Promise<void>;
  /** The folder goes away, unless something failed on it or it is preserved: then it is said where it is. */
  stop(end?: { hasFailed: boolean }): Promise<void>;
}

export function openGround(name: string, isPreserved: boolean): ProofGround {
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
