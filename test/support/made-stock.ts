// The database that those of all test files are copies of.
import type { Sql } from "postgres";
import { createFold } from "../../fold/fold-schema.ts";
import { foldIndexesDdl, quoted, recentSchema } from "../../fold/tables.ts";
import { makeFactTables } from "./index-fixture.ts";
import { stockDdl, stockedNames } from "./index-stock.ts";

/** A test that has more at a time makes the tables of the others. */
const INDEXES = 2;

/** Fills an empty database. */
export async function makeStock(sql: Sql): Promise<void> {
  for (let n = 1; n <= INDEXES; n++) {
    const { ponderSchema, foldSchema } = stockedNames(n);
    await makeFactTables(sql, ponderSchema);
    const identity = { chainId: 0, ponderSchema, foldSchema, firstBlock: 0, weth9: [], erc4626: [] };
    await createFold(sql, identity, { buildId: "", factOid: "0" });
    await sql.unsafe(foldIndexesDdl(foldSchema));
    await sql.unsafe(`delete from ${quoted(foldSchema)}.meta`);
    for (const schema of [ponderSchema, foldSchema, recentSchema(foldSchema)])
      await sql.unsafe(`comment on schema ${quoted(schema)} is '${n}'`);
  }
  await sql.unsafe(stockDdl);
}
