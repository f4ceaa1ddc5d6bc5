// What the lake's own writer makes from an index: rows and bytes by dataset, from its manifest.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChainFile, chainFileSchema } from "../../chains/chain-file.ts";
import { filesOf, readManifest } from "../../lake/manifest.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { watchMemory } from "./memory.ts";

export interface WrittenLake {
  segments: number;
  seconds: number;
  /** Peak bytes of the writer, without its sessions in the database. */
  memory: number;
  datasets: Record<string, { rows: number; bytes: number }>;
}

/** Decides when a segment ends. */
export interface LakeSegments {
  segmentBlocks: number;
  segmentTransfers: number;
}

/** Writes everything final of the index into a separate lake, which is removed again. */
export async function writeLake(index: {
  chainFile: ChainFile;
  databaseUrl: string;
  segments: LakeSegments;
}): Promise<WrittenLake> {
  const { chainFile, databaseUrl, segments: lake } = index;
  const folder = mkdtempSync(join(tmpdir(), "tidemark-scale-lake-"));
  const file = join(folder, "chain.json");
  writeFileSync(file, JSON.stringify(chainFileSchema.parse({ ...chainFile, lake })));
  const startedAt = performance.now();
  const env = { ...process.env, CHAIN: file, DATABASE_URL: databaseUrl, LAKE: folder };
  const args = ["--disable-warning=ExperimentalWarning", "lake/main.ts"];
  const child = spawn(process.execPath, args, { cwd: projectRoot, env, stdio: ["ignore", "ignore", "inherit"] });
  const memory = watchMemory({ writer: child.pid ?? 0 });
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`the lake's writer ended with ${code}; its lines are above`);
    const seconds = (performance.now() - startedAt) / 1000;
    const manifest = await readManifest(join(folder, String(chainFile.chainId)));
    if (!manifest) throw new Error("no segment was written: the chain is shorter than one");
    const datasets: WrittenLake["datasets"] = {};
    for (const { dataset, rows, bytes } of filesOf(manifest)) {
      const sum = datasets[dataset] ?? { rows: 0, bytes: 0 };
      datasets[dataset] = { rows: sum.rows + rows, bytes: sum.bytes + bytes };
    }
    return { segments: manifest.segments.length, seconds, memory: memory.stop().writer, datasets };
  } finally {
    memory.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
