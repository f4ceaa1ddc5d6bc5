// `npm run check:chain -- <file or name> [--rpc URL]`: compares a chain file with its chain, as every start does.
import { parseArgs } from "node:util";
import { checkChain } from "../chains/check/check-chain.ts";
import { lineOf } from "../chains/check/findings.ts";
import { NodeUnreachableError } from "../chains/check/node.ts";
import { ChainFileError, loadChain } from "../chains/load.ts";

const USAGE = `usage: npm run check:chain -- <name or path of a chain file> [--rpc <URL of a node>]

Without --rpc: RPC_URL_<chain id>, else RPC_URL, else the devnet's port here.
Exit code: 0 no mistake (lines that begin with "note" need no change); 1 mistakes, one line each; 2 the node could not be asked.`;

/** @throws TypeError of parseArgs */
function readArguments() {
  const { values, positionals } = parseArgs({
    options: { rpc: { type: "string" }, help: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  return { name: positionals.length === 1 && !values.help ? positionals[0] : undefined, rpc: values.rpc };
}

const rpcUrlOf = (chainId: number): string =>
  process.env[`RPC_URL_${chainId}`] || process.env.RPC_URL || `http://127.0.0.1:${process.env.DEVNET_PORT || 8545}`;

async function main(): Promise<number> {
  const { name, rpc } = readArguments();
  if (name === undefined) {
    console.error(USAGE);
    return 2;
  }
  const chain = loadChain(name);
  const rpcUrl = rpc ?? rpcUrlOf(chain.chainId);
  if (!URL.canParse(rpcUrl)) throw new NodeUnreachableError("--rpc or RPC_URL is not a URL: correct it");
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
