// Writes chains/devnet.json again after a change of the deployed contracts: node devnet/write-chain-file.ts [port]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAnvil, spawnAnvil } from "./anvil.ts";
import { connectAnvilChain } from "./anvil-chain.ts";
import { chainFileOf } from "./chain-file.ts";
import { deployAll } from "./deploy/all.ts";

const dir = mkdtempSync(join(tmpdir(), "tidemark-chain-file-"));
const anvil = await spawnAnvil({ port: Number(process.argv[2] ?? 8599), dir });
try {
  const at = await deployAll(await connectAnvilChain(anvil.rpcUrl));
  const file = new URL("../chains/devnet.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(chainFileOf(at), null, 2)}\n`);
} finally {
  await endAnvil(anvil.pid, 0);
  rmSync(dir, { recursive: true, force: true });
}
