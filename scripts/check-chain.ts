// `npm run check:chain -- <file or name> [--rpc URL]`: compares a chain file with its chain, as every start does.
import type { ChainFile } from "../chains/chain-file.ts";
import { checkChain } from "../chains/check/check-chain.ts";
import { lineOf } from "../chains/check/findings.ts";
import { ChainFileError, loadChain } from "../chains/load.ts";
import { nodeUrlProblem, nodeVariable } from "../chains/node-url.ts";
import { readArguments, UsageError } from "../machine/command-line.ts";

const USAGE = `usage: npm run check:chain -- <name or path of a chain file> [--rpc <URL of a node>]

Without --rpc: RPC_URL_<chain id>, else RPC_URL, else the devnet's port here.
Exit code: 0 no mistake (lines that begin with "note" need no change); 1 mistakes, one line each; 2 the node could not be asked.`;

/** @throws UsageError naming the option or variable that holds no URL of a node */
function nodeUrlOf(chain: ChainFile, option: string | undefined): string {
  const name = option === undefined ? nodeVariable(process.env, chain) : "--rpc";
  const url = option ?? (process.env[name] || `http://127.0.0.1:${process.env.DEVNET_PORT || 8545}`);
  const problem = nodeUrlProblem(url);
  if (problem !== undefined) throw new UsageError(`${name}: ${problem}`);
  return url;
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments(process.argv.slice(2), {
    options: { rpc: { type: "string" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    console.error(USAGE);
    return 2;
  }
  const chain = loadChain(name);
  const rpcUrl = nodeUrlOf(chain, values.rpc);
  const findings = await checkChain(chain, rpcUrl);
  const mistakes = findings.filter(({ kind }) => kind === "mistake");
  const notices = findings.filter(({ kind }) => kind === "notice");
  for (const finding of mistakes) console.log(lineOf(finding));
  for (const finding of notices) console.log(`note: ${lineOf(finding)}`);
  const count = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
  console.log(mistakes.length === 0 ? `${name} fits its chain` : `${name}: ${count}`);
  return mistakes.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isFile = error instanceof ChainFileError;
  if (isFile && error.lines.length > 1) for (const line of error.lines) console.error(line);
  else console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = isFile ? 1 : 2;
}
