// `npm test [-- arguments]`: the whole suite, or what vitest's arguments select (a file, -t "name", --project unit).
import { runTool } from "./run-tool.ts";

process.exitCode = await runTool("node_modules/vitest/vitest.mjs", ["run", ...process.argv.slice(2)]);
