// The process behind POST /sql as the launcher starts it, over an index of a test's database and its lake, and a gateway that asks it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import type { ChainFile } from "../../chains/chain-file.ts";
import { openDatabase } from "../../gateway/database/database.ts";
import type { AccessSettings } from "../../gateway/http/guard.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import { SqlAccess } from "../../gateway/sql/sql-access.ts";
import { freePort } from "../../machine/ports.ts";
import { Part } from "../../trials/faults/part.ts";

export interface SqlProcess {
  app: ReturnType<typeof createApp>;
  access: SqlAccess;
  part: Part;
  /** Text as it came; undefined where the answer broke off. */
  post(
    query: string,
    more?: { key?: string; format?: string },
  ): Promise<{ status: number; headers: Headers; text: string | undefined }>;
  /** Until a statement is answered. */
  awaken(): Promise<number>;
  close(): Promise<void>;
}

interface Place {
  databaseUrl: string;
  chain: ChainFile;
  /** What `LAKE` names. */
  lake: string;
  keys?: readonly string[];
  env?: Record<string, string>;
}

const PATIENCE_MS = 60_000;

export async function startSqlProcess({ databaseUrl, chain, lake, keys = [], env = {} }: Place): Promise<SqlProcess> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-sql-process-"));
  const chainFile = join(folder, "chain.json");
  writeFileSync(chainFile, JSON.stringify(chain));
  const port = await freePort();
  const part = new Part({
    ...{ name: "sql", command: ["sql/main.ts", "serve"], logFolder: folder, isSupervised: true },
    env: {
      DATABASE_URL: databaseUrl,
      CHAIN: chainFile,
      LAKE: lake,
      SQL_PORT: String(port),
      TIDEMARK_DATA: folder,
      ...env,
    },
  });
  part.start();
  const database = openDatabase(databaseUrl);
  const access = new SqlAccess(new Map([[chain.chainId, `http://127.0.0.1:${port}`]]));
  const service = openService({ chains: [chain], database, sql: access });
  const settings: AccessSettings = { keys };
  const app = createApp(service, pino({ level: "silent" }), { access: settings });
  const post: SqlProcess["post"] = async (query, { key, format } = {}) => {
    const response = await app.request(`/sql${format === undefined ? "" : `?format=${format}`}`, {
      method: "POST",
      headers: { "content-type": "text/sql", ...(key === undefined ? {} : { "x-api-key": key }) },
      body: query,
    });
    const text = await response.text().catch(() => undefined);
    return { status: response.status, headers: response.headers, text };
  };
  return {
    ...{ app, access, part, post },
    async awaken() {
      const started = performance.now();
      const key = keys[0];
      while ((await post("select 1", key === undefined ? {} : { key })).status !== 200) {
        if (performance.now() - started > PATIENCE_MS) throw new Error(`no answer: ${part.lines.slice(-5).join("\n")}`);
        await sleep(50);
      }
      return performance.now() - started;
    },
    async close() {
      await part.end();
      await part.kill();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
