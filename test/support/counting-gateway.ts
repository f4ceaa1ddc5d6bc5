// A gateway that counts what it asks of its database.

import { pino } from "pino";
import type { ChainFile } from "../../chains/chain-file.ts";
import { type Connection, type Database, openDatabase } from "../../gateway/database/database.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";

export interface CountingGateway {
  /** What was answered, and the texts that were sent for it: one for each round trip. */
  ask(query: string, variables?: Record<string, unknown>): Promise<{ data: unknown; statements: string[] }>;
  /** Nothing that was asked before is stored any more. */
  clear(): void;
  close(): Promise<void>;
}

export function openCountingGateway(url: string, chain: ChainFile): CountingGateway {
  const database = openDatabase(url);
  const sent: string[] = [];
  const counted = (connection: Connection): Connection => ({
    rows: (text, parameters) => {
      sent.push(text);
      return connection.rows(text, parameters);
    },
    prepared: (text, parameters) => {
      sent.push(text);
      return connection.prepared(text, parameters);
    },
    run: (statements) => {
      sent.push(statements);
      return connection.run(statements);
    },
    runAndRead: (statements) => {
      sent.push(statements);
      return connection.runAndRead(statements);
    },
    batches: (text, parameters, size) => {
      sent.push(text);
      return connection.batches(text, parameters, size);
    },
    pieces: (text, parameters, shape) => {
      sent.push(text);
      return connection.pieces(text, parameters, shape);
    },
    get isLost() {
      return connection.isLost;
    },
    endBatches: () => connection.endBatches(),
    abandon: () => connection.abandon(),
    release: () => connection.release(),
  });
  const watched: Database = {
    ...database,
    connect: async () => counted(await database.connect()),
  };
  const service = openService({ chains: [chain], database: watched });
  const app = createApp(service, pino({ level: process.env.LOG_LEVEL ?? "silent" }));
  return {
    async ask(query, variables = {}) {
      sent.length = 0;
      const response = await app.request("/graphql", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      return { data, statements: [...sent] };
    },
    clear: () => service.cache.clear(),
    close: () => database.close(),
  };
}
