// `npm run new:chain`: asks a node about a handful of contracts and writes the chain file that they make.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNodeState } from "../../chains/check/check-chain.ts";
import { openNode } from "../../chains/check/node.ts";
import { readAll } from "../../chains/check/read-all.ts";
import { UsageError } from "../../machine/command-line.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { runTool } from "../run-tool.ts";
import { draftChain } from "./draft.ts";
import { type NewChainOptions, readOptions, USAGE } from "./options.ts";

async function writeChain(options: NewChainOptions): Promise<number> {
  const file = join("chains", `${options.name}.json`);
  const path = join(projectRoot, file);
  if (existsSync(path) && !options.force) {
    console.error(`${file} exists already: choose another --name, or overwrite it with --force`);
    return 2;
  }
  const node = openNode(options.rpc);
  const { chainId, head } = await readNodeState(node);
  const { draft, problems } = await readAll(node, head, (on) => draftChain(options, chainId, on));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  writeFileSync(path, `${JSON.stringify(draft, null, 2)}\n`);
  console.log(`${file} is written, read from chain ${chainId} at block ${head}`);
  return await runTool("scripts/check-chain.ts", [options.name, "--rpc", options.rpc]);
}

try {
  const argv = process.argv.slice(2);
  if (argv.length === 0 || argv.includes("--help")) {
    console.log(USAGE);
    process.exitCode = argv.length === 0 ? 2 : 0;
  } else process.exitCode = await writeChain(readOptions(argv));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = 2;
}
