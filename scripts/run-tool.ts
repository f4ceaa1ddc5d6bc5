// Runs a JavaScript tool from node_modules on this Node, with this terminal.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Resolves to the tool's exit code; 1 when a signal ended it. `tool` is relative to the project. */
export function runTool(tool: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", join(root, tool), ...args], {
      cwd: root,
      stdio: "inherit",
    });
    const forward = (name: NodeJS.Signals) => child.kill(name);
    process.on("SIGTERM", forward);
    // A terminal sends Ctrl-C to the tool as well; we only wait for its end.
    process.on("SIGINT", () => {});
    child.once("error", reject);
    child.once("exit", (code) => {
      process.off("SIGTERM", forward);
      resolve(code ?? 1);
    });
  });
}
