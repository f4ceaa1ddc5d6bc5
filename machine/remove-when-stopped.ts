// Removes what a process would leave behind when it is stopped in the middle, for instance by Ctrl-C.
import { rmSync } from "node:fs";

const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Removes the files and folders that there are when a signal comes. The process then ends by the signal, as without a handler. */
export function removeWhenStopped(paths: () => readonly string[]): void {
  for (const name of STOPPING)
    process.once(name, () => {
      // threads of DuckDB may still write there
      for (const path of paths()) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
      process.kill(process.pid, name);
    });
}
