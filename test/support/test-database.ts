// A PostgreSQL server for one test file, gone when the file is done.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { startPostgres } from "../../scripts/launcher/postgres.ts";

export interface TestDatabase {
  url: string;
  sql: Sql;
  stop(): Promise<void>;
}

export async function startTestDatabase(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  const server = await startPostgres({ dataDir, isTemporary: true });
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  return {
    url: server.url,
    sql,
    async stop() {
      await sql.end({ timeout: 2 });
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
