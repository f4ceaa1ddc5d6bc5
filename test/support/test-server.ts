// A PostgreSQL server that loses everything when it stops.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../../launcher/postgres/server.ts";

export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

export async function startTestServer(): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  const server = await startPostgres({ dataDir, isTemporary: true });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One for all files of a group: making a cluster takes longer than most files do. Every file has a database of its own. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer();
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
