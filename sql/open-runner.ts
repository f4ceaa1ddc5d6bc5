// Everything that statements run on, from the environment.
import { join } from "node:path";
import { type Database, openDatabase } from "../gateway/database/database.ts";
import { LakeHistory } from "../gateway/lake/lake-history.ts";
import { openLastingService } from "../gateway/service.ts";
import { removeLeftovers } from "../machine/leftovers.ts";
import { makeFolder } from "../machine/make-folder.ts";
import { Engine } from "./engine.ts";
import type { SqlEnvironment } from "./environment.ts";
import { IndexReader } from "./index-reader.ts";
import type { StatementRunner } from "./run-statement.ts";

/** Begins the name of the folder of a statement at the terminal. */
export const TERMINAL = "terminal";

export interface OpenedRunner {
  runner: StatementRunner;
  close(): Promise<void>;
}

const folderOf = ({ dataFolder, chain }: SqlEnvironment): string => join(dataFolder, "sql", String(chain.chainId));

/** `name`: what the process's own folder is called; no two processes share one. */
export const workFolderOf = (environment: SqlEnvironment, name: string): string => join(folderOf(environment), name);

/** `name`: that of its own folder, see {@link workFolderOf}. */
export async function openRunner(
  environment: SqlEnvironment,
  { name, onStuck }: { name: string; onStuck: () => void },
): Promise<OpenedRunner> {
  const { chain, databaseUrl, lakeFolder, lakeUrl, limits, memoryMegabytes, threads } = environment;
  const folder = folderOf(environment);
  makeFolder(folder);
  removeLeftovers(folder, TERMINAL);
  const workFolder = workFolderOf(environment, name);
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
