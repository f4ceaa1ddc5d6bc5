// Runs a program of the product that ends by itself, on the stack of a trial.
import { spawn } from "node:child_process";
import { projectRoot } from "../../machine/project-root.ts";

/** `command`: after `node`, relative to the project. Resolves to its exit code and all it printed. */
export async function runProgram(
  command: readonly string[],
  env: Record<string, string>,
): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...command], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status, output };
}
