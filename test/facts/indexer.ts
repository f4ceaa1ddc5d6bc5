// Ponder on a chain of a test's own: its rows in a database of their own, its process ended with the test.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import type { ChainFile } from "../../chains/chain-file.ts";
import { loadChain } from "../../chains/load.ts";
import { Part } from "../../trials/faults/part.ts";

export interface Indexer {
  chain: ChainFile;
  schema: string;
  /** What Ponder has printed. */
  lines: readonly string[];
  /** Resolves when the block of this number and hash is among the facts. */
  waitFor(block: { number: number; hash: string }): Promise<void>;
  stop(): Promise<void>;
}

export interface IndexerOptions {
  chain: object;
  /** For the chain file and the log. */
  folder: string;
  sql: Sql;
  databaseUrl: string;
  rpcUrl: string;
  port: number;
  /** Arguments for Node; without them Ponder alone. */
  program?: readonly string[];
}

const PLAIN = ["node_modules/ponder/dist/esm/bin/ponder.js"];
const PATIENCE_MS = 450_000;

export function startIndexer({
  chain,
  folder,
  sql,
  databaseUrl,
  rpcUrl,
  port,
  program = PLAIN,
}: IndexerOptions): Indexer {
  mkdirSync(folder);
  const file = join(folder, "chain.json");
  writeFileSync(file, JSON.stringify(chain));
  const loaded = loadChain(file);
  const schema = ponderSchemaName(loaded);
  const ponder = new Part({
    name: "ponder",
    command: [...program, "start", "--schema", schema, "-p", String(port)],
    env: { DATABASE_URL: databaseUrl, RPC_URL: rpcUrl, CHAIN: file, PONDER_TELEMETRY_DISABLED: "1" },
    logFolder: folder,
    isSupervised: false,
  });
  ponder.start();
  return {
    chain: loaded,
    schema,
    lines: ponder.lines,
    async waitFor({ number, hash }) {
      for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(100)) {
        if (!ponder.isRunning) throw new Error(`Ponder ended: ${ponder.lines.slice(-5).join("\n")}`);
        const [there] = await sql`select 1 from pg_tables where schemaname = ${schema} and tablename = 'block'`;
        if (there && (await sql`select 1 from ${sql(schema)}.block where number = ${number} and hash = ${hash}`).length)
          return;
      }
      throw new Error(`block ${number} was not indexed in time: ${ponder.lines.slice(-5).join("\n")}`);
    },
    stop: () => ponder.kill(),
  };
}
