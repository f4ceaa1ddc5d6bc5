// `npm run new:protocol -- <name>`: the files and registry lines of a new protocol. CONTRIBUTING.md explains how to fill them.
import { fileURLToPath } from "node:url";
import { runTool } from "../run-tool.ts";
import { createProtocol, ProtocolNameError } from "./create-protocol.ts";

const USAGE = "npm run new:protocol -- <name>, kebab-case, like lend-pool";

const [name, ...others] = process.argv.slice(2);
if (name === "--help") console.log(USAGE);
else if (name === undefined || name.startsWith("-") || others.length > 0) {
  console.error(`usage: ${USAGE}`);
  process.exitCode = 2;
} else {
  try {
    const written = createProtocol(fileURLToPath(new URL("../..", import.meta.url)), name);
    const code = written.filter((path) => path.endsWith(".ts"));
    process.exitCode = await runTool("node_modules/@biomejs/biome/bin/biome", ["check", "--write", ...code]);
    console.log(`Written:\n${written.map((path) => `  ${path}`).join("\n")}`);
    console.log("Now `npm run check` names what is missing; CONTRIBUTING.md walks through it.");
  } catch (error) {
    if (!(error instanceof ProtocolNameError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
