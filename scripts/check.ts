// `npm run check`: style, types, architecture, and whether committed contract artifacts match their sources.
// `-- --beside-tests` leaves out architecture, which `npm test` has too.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../machine/project-root.ts";
import { runTool } from "./run-tool.ts";

const isBesideTests = process.argv.includes("--beside-tests");

const steps: readonly { name: string; tool: string; args: readonly string[] }[] = [
  { name: "style (biome)", tool: "node_modules/@biomejs/biome/bin/biome", args: ["check", "."] },
  { name: "types (tsc)", tool: "node_modules/typescript/bin/tsc", args: ["--noEmit", "-p", "."] },
  ...(isBesideTests
    ? []
    : [{ name: "architecture", tool: "node_modules/vitest/vitest.mjs", args: ["run", "test/architecture"] }]),
  { name: "contract artifacts", tool: "devnet/compile/compile.ts", args: ["--check"] },
];

const failed: string[] = [];
for (const { name, tool, args } of steps) {
  if (!existsSync(join(projectRoot, tool))) {
    console.log(`check: ${name}: skipped, there is no ${tool}`);
    continue;
  }
  console.log(`check: ${name} …`);
  if ((await runTool(tool, args)) !== 0) failed.push(name);
}
console.log(failed.length === 0 ? "check: all good" : `check: failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
