// SQL over the small index and a lake of it, for one test file.
import { openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { chainFixture } from "./gateway-fixture.ts";
import { buildIndex } from "./index-fixture.ts";
import { makeLake } from "./lake.ts";
import { smallIndex } from "./small-index.ts";
import { openTestSql, type TestSql } from "./sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "./test-database.ts";

export interface SmallSql {
  database: TestDatabase;
  sql: TestSql;
  stop(): Promise<void>;
}

/** The caller stops it. */
export async function startSmallSql(): Promise<SmallSql> {
  const database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  const lake = { segmentBlocks: 2, segmentTransfers: 1 };
  const made = await makeLake(database.url, { chainId: 31337, name: "small", lake });
  const read = openDatabase(database.url);
  const service = openLastingService({ chains: [chainFixture({ chainId: 31337, startBlock: 100 })], database: read });
  const sql = await openTestSql({ databaseUrl: database.url, chainId: 31337, lakeFolder: made.folder, service });
  return {
    database,
    sql,
    async stop() {
      await sql.close();
      await read.close();
      made.remove();
      await database.stop();
    },
  };
}
