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

/** Empty, on the server that all files of the group share. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const server = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} });
  const name = `test_${randomBytes(6).toString("hex")}`;
  await server.unsafe(`create database ${name}`);
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  const sql = postgres(url.href, { max: 4, ...undelayed(), onnotice: () => {} });
  return {
    url: url.href,
    sql,
    async stop() {
      await sql.end({ timeout: 2 });
      await server.unsafe(`drop database ${name} with (force)`);
      await server.end({ timeout: 2 });
    },
  };
}
