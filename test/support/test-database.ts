// A database for one test file, gone when the file is done.
import { randomBytes } from "node:crypto";
import postgres, { type Sql } from "postgres";
import { inject } from "vitest";
import { undelayed } from "../../database/undelayed.ts";

export interface TestDatabase {
  url: string;
  sql: Sql;
  stop(): Promise<void>;
}

declare module "vitest" {
  export interface ProvidedContext {
    /** Of the server that the group's files share. */
    postgresUrl: string;
  }
}

const STOCK = "tidemark_stock";

const urlOf = (database: string): string =>
  Object.assign(new URL(inject("postgresUrl")), { pathname: `/${database}` }).href;

/** Makes the database that all others are copies of, unless it is there. */
async function ensureStock(server: Sql): Promise<void> {
  const isThere = async () => (await server`select from pg_database where datname = ${STOCK}`).length > 0;
  if (await isThere()) return;
  await server`select pg_advisory_lock(hashtext(${STOCK}))`;
  try {
    if (await isThere()) return;
    await server.unsafe(`drop database if exists ${STOCK}_new`);
    await server.unsafe(`create database ${STOCK}_new`);
    // it loads the fold's code, which most files of end-to-end tests do without
    const { makeStock } = await import("./made-stock.ts");
    const sql = postgres(urlOf(`${STOCK}_new`), { max: 1, onnotice: () => {} });
    await makeStock(sql).finally(() => sql.end({ timeout: 2 }));
    await server.unsafe(`alter database ${STOCK}_new rename to ${STOCK}`);
  } finally {
    await server`select pg_advisory_unlock(hashtext(${STOCK}))`;
  }
}

/** Without an index, on the server that all files of the group share. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const server = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} });
  const name = `test_${randomBytes(6).toString("hex")}`;
  await ensureStock(server);
  // through WAL it takes more than twice as long
  await server.unsafe(`create database ${name} template ${STOCK} strategy file_copy`);
  const url = urlOf(name);
  const sql = postgres(url, { max: 4, ...undelayed(), onnotice: () => {} });
  return {
    url,
    sql,
    async stop() {
      await sql.end({ timeout: 2 });
      await server.unsafe(`drop database ${name} with (force)`);
      await server.end({ timeout: 2 });
    },
  };
}
