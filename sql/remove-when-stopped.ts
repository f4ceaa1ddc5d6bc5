// What a process would leave behind that is stopped in the middle, by Ctrl-C for instance.
import { rmSync } from "node:fs";

const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Removes these files and folders when a signal comes. The process then ends by it, as it does where nobody listens. */
export function removeWhenStopped(paths: readonly string[]): void {
  for (const name of STOPPING)
    process.once(name, () => {
      // threads of DuckDB may still write there
      for (const path of paths) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
      process.kill(process.pid, name);
    });
}
