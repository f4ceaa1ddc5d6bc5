// The v3 flavour whose protocol fee counts in 1/10,000: our pool over Uniswap's libraries, compiled when first needed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CompiledContract, compileSolidity, readSource } from "./solidity.ts";

export interface KodiakArtifacts {
  factory: CompiledContract;
  pool: CompiledContract;
}

const folder = fileURLToPath(new URL("../generated/", import.meta.url));
const output = `${folder}kodiak-v3.json`;
const files = ["kodiak-v3/KodiakV3Factory.sol", "kodiak-v3/KodiakV3Pool.sol"];
const settings = { evmVersion: "istanbul", optimizerRuns: 200 };

/**
 * Factory and pool of the flavour. Kept in `devnet/generated` (not committed: it contains Uniswap's GPL libraries) and
 * compiled again, in some seconds, when missing or when a source, the settings or the compiler changed.
 */
export async function kodiakArtifacts(): Promise<KodiakArtifacts> {
  const key = inputsHash();
  if (existsSync(output)) {
    const stored = JSON.parse(readFileSync(output, "utf8")) as KodiakArtifacts & { key: string };
    if (stored.key === key) return stored;
  }
  const contracts = compileSolidity({ compiler: "solc-0.7.6", files, settings });
  const [factory, pool] = [contracts.get("KodiakV3Factory"), contracts.get("KodiakV3Pool")];
  if (factory === undefined || pool === undefined) throw new Error("the compiler gave no kodiak v3 factory or pool");
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${output}.${process.pid}`, JSON.stringify({ key, factory, pool }));
  renameSync(`${output}.${process.pid}`, output);
  return { factory, pool };
}

/** Hash of our sources, everything they import, the settings and the compiler. */
function inputsHash(): string {
  const hash = createHash("sha256").update(JSON.stringify({ compiler: "solc-0.7.6", settings }));
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const source = readSource(path);
    hash.update(path).update(source);
    for (const [, imported] of source.matchAll(/^import\s+[^'"]*['"]([^'"]+)['"]/gm)) {
      if (imported !== undefined) visit(resolveImport(path, imported));
    }
  };
  for (const file of files) visit(file);
  return hash.digest("hex");
}

function resolveImport(from: string, imported: string): string {
  if (!imported.startsWith(".")) return imported;
  return new URL(imported, `file:///${from}`).pathname.slice(1);
}
