// Statements over lists in a parameter are planned once for each connection, however short the lists are.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { V3RowKind } from "../../../core/concentrated/stored-rows.ts";
import { deploymentDdl, foldIndexesDdl, foldTablesDdl } from "../../../fold/tables.ts";
import { rowsOfPools } from "../../../gateway/concentrated/stored-rows.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";

const FOLD = "fold_lists";
const TIMES = 12;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await database.sql.unsafe(deploymentDdl + foldTablesDdl(FOLD) + foldIndexesDdl(FOLD));
});
afterAll(() => database?.stop());

describe("the state of v3 pools by a list of one", () => {
  it.each<V3RowKind>(["pool", "tick", "position", "nft"])("is planned once: %s", async (kind) => {
    const connection = await database.sql.reserve();
    try {
      await connection.unsafe(`prepare state (text, int4) as ${rowsOfPools(kind, { fold: FOLD })}`);
      for (let i = 0; i < TIMES; i++) await connection.unsafe(`execute state ('${i}', 10)`);
      const [counted] = await connection.unsafe(
        "select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where name = 'state'",
      );
      // PostgreSQL plans five times with the values before it compares
      expect(counted).toEqual({ generic: TIMES - 5, custom: 5 });
    } finally {
      await connection.unsafe("deallocate all");
      connection.release();
    }
  });
});
