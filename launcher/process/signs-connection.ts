// The connection on which signs of life are written.
import postgres, { type Sql } from "postgres";

/** It waits neither for the disk nor for long for the database: the next sign comes soon. */
export const connectForSigns = (databaseUrl: string): Sql =>
  postgres(databaseUrl, {
    max: 1,
    connect_timeout: 3,
    idle_timeout: 10,
    onnotice: () => {},
    connection: { synchronous_commit: "off", statement_timeout: 5_000 },
  });
