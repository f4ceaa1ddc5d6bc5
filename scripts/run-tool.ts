// Runs a JavaScript tool from node_modules on this Node, with this terminal.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../machine/project-root.ts";

/** Resolves to the tool's exit code; 1 when a signal ended it. `tool` is relative to the project. */
export function runTool(tool: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", join(projectRoot, tool), ...args], {
      cwd: projectRoot,
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
