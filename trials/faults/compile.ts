// Compiles a Solidity file beside this one with the npm compiler. Nothing is written.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Abi, Hex } from "viem";

interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
}

/** ABI and creation code of every contract in `file`. @throws Error with the compiler's own message */
export function compileSolidity(file: string): Record<string, { abi: Abi; bytecode: Hex }> {
  const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };
  const content = readFileSync(fileURLToPath(new URL(file, import.meta.url)), "utf8");
  const input = {
    language: "Solidity",
    sources: { [file]: { content } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const failures = (output.errors ?? []).filter(({ severity }) => severity === "error");
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return Object.fromEntries(
    Object.entries(output.contracts[file] ?? {}).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` as Hex },
    ]),
  );
}
