// The only access to the Solidity compilers of npm: standard JSON in, contracts out.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Abi, Hex } from "viem";

export interface CompiledContract {
  abi: Abi;
  bytecode: Hex;
}

export interface Compilation {
  /** Package name of the compiler: `solc` (0.8.37) or `solc-0.7.6`. */
  compiler: "solc" | "solc-0.7.6";
  /** Paths under `devnet/contracts`; what they import is found from there. */
  files: readonly string[];
  settings: { evmVersion: string; optimizerRuns: number; viaIR?: boolean };
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
}

type Compile = (
  input: string,
  callbacks: { import: (path: string) => { contents: string } | { error: string } },
) => string;

export const contractsFolder: string = fileURLToPath(new URL("../contracts/", import.meta.url));
const require = createRequire(import.meta.url);

/** Version of `solc`, from its package. */
export const compilerVersion: string = (require("solc/package.json") as { version: string }).version;

/** Source text of a file of ours, or of a package when the path begins with `@`. */
export function readSource(path: string): string {
  return readFileSync(path.startsWith("@") ? require.resolve(path) : `${contractsFolder}${path}`, "utf8");
}

/** Compiles; contracts by name. Throws with the compiler's own message on any error. */
export function compileSolidity({ compiler, files, settings }: Compilation): Map<string, CompiledContract> {
  const solc = require(compiler) as { compile: Compile };
  const { evmVersion, optimizerRuns: runs, viaIR = false } = settings;
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(files.map((file) => [file, { content: readSource(file) }])),
    settings: {
      evmVersion,
      optimizer: { enabled: true, runs },
      metadata: { bytecodeHash: "none" },
      ...(viaIR ? { viaIR } : {}),
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const found = (path: string): { contents: string } | { error: string } =>
    path.startsWith("@") || existsSync(`${contractsFolder}${path}`)
      ? { contents: readSource(path) }
      : { error: `no such source: ${path}` };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: found })) as CompilerOutput;
  const failures = (output.errors ?? []).filter((error) => error.severity === "error");
  if (failures.length > 0) throw new Error(failures.map((error) => error.formattedMessage).join("\n"));
  const contracts = new Map<string, CompiledContract>();
  for (const file of Object.values(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(file)) {
      contracts.set(name, { abi, bytecode: `0x${evm.bytecode.object}` });
    }
  }
  return contracts;
}
