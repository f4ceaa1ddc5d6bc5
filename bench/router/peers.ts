// The routers we are measured against. They are installed for the benchmark alone, into a folder of its own: one is under the
// GPL, one without a licence, and nothing of the product may depend on either.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const versions: Readonly<Record<string, string>> = {
  "@uniswap/smart-order-router": "4.31.10",
  "@sushiswap/tines": "1.0.11",
  // tines uses it without saying so
  viem: "1.21.4",
};

/** Loads installed peers; undefined for one that the registry does not have. */
export interface Peers {
  folder: string;
  load(name: string): unknown;
  missing: string[];
}

/** Installs what is not yet there (some 140 MB). */
export function installPeers(folder = join(tmpdir(), "tidemark-bench-router-peers")): Peers {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ name: "peers", private: true }));
  const missing: string[] = [];
  for (const [name, version] of Object.entries(versions)) {
    if (existsSync(join(folder, "node_modules", name, "package.json"))) continue;
    console.log(`installing ${name}@${version} into ${folder}`);
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--save-exact"];
    const done = spawnSync("npm", ["install", ...flags, `${name}@${version}`], { cwd: folder, encoding: "utf8" });
    if (done.status === 0) continue;
    missing.push(name);
    console.log(`${name} is left out: ${done.stderr.trim().split("\n").slice(0, 3).join(" ")}`);
  }
  const require = createRequire(manifest);
  return { folder, missing, load: (name) => require(name) };
}
