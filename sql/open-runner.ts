// Everything that statements run on, from the environment.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase } from "../gateway/database/database.ts";
import { LakeHistory } from "../gateway/lake/lake-history.ts";
import { openLastingService } from "../gateway/service.ts";
import { Engine } from "./engine.ts";
import type { SqlEnvironment } from "./environment.ts";
import { IndexReader } from "./index-reader.ts";
import type { StatementRunner } from "./run-statement.ts";

export interface OpenedRunner {
  runner: StatementRunner;
  close(): Promise<void>;
}

/** `name`: what the process's own folder is called; no two processes share one. */
export async function openRunner(
  { chain, databaseUrl, lakeFolder, lakeUrl, dataFolder, limits, memoryMegabytes, threads }: SqlEnvironment,
  { name, onStuck }: { name: string; onStuck: () => void },
): Promise<OpenedRunner> {
  const folder = join(dataFolder, "sql", String(chain.chainId));
  mkdirSync(folder, { recursive: true });
  const workFolder = join(folder, name);
  const engine = await Engine.open(
    { lakeFolder, workFolder, recordPath: join(folder, "verified.json"), memoryMegabytes, threads },
    new IndexReader(databaseUrl, chain.chainId),
  );
  const database: Database = openDatabase(databaseUrl);
  const past = new LakeHistory(new Map(lakeUrl === undefined ? [] : [[chain.chainId, lakeUrl]]));
  const service = openLastingService({ chains: [chain], database, past });
  return {
    runner: { engine, service, limits, memoryMegabytes, onStuck, folders: [lakeFolder, workFolder] },
    async close() {
      await engine.close();
      await database.close();
    },
  };
}
