// The connection pool. Every read goes through a reserved connection, so that one request is one transaction.
import postgres, { type ReservedSql, type Sql } from "postgres";
import { UnavailableError } from "../errors.ts";

/** Transactions at once; further requests wait their turn. */
const MOST_CONNECTIONS = 12;
const LONGEST_WAIT_MS = 5_000;

export interface Database {
  sql: Sql;
  /** A connection of one's own; `release()` it. @throws UnavailableError (`OVERLOADED`) after 5 s without a free one */
  reserve(): Promise<ReservedSql>;
  close(): Promise<void>;
}

export function openDatabase(url: string): Database {
  const sql = postgres(url, {
    max: MOST_CONNECTIONS,
    connect_timeout: 5,
    idle_timeout: 60,
    onnotice: () => {},
    connection: { application_name: "tidemark-gateway" },
  });
  return {
    sql,
    async reserve() {
      let timer: NodeJS.Timeout | undefined;
      const waiting = sql.reserve();
      const tooLate = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          waiting.then((late) => late.release()).catch(() => {});
          reject(new UnavailableError("OVERLOADED", "Too many answers are being written. Retry in a few seconds."));
        }, LONGEST_WAIT_MS);
      });
      try {
        return await Promise.race([waiting, tooLate]);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => sql.end({ timeout: 5 }),
  };
}
