// Bytes on disk of each layout, indexes and maps included.
import { FOLD_SCHEMA, type Ground } from "./ground.ts";

export interface Storage {
  /** The tables that answer "who held how much at a block". */
  tidemark: number;
  /** With the table for questions that start from an account, which the plain history cannot answer at all. */
  tidemarkWithHolders: number;
  plainHistory: number;
  graphNode: number;
}

export async function measureStorage({ db }: Ground): Promise<Storage> {
  const bytes = async (...tables: string[]): Promise<number> => {
    const sizes = tables.map((table) => `pg_total_relation_size('${table}')`);
    const [row] = await db.unsafe(`select (${sizes.join(" + ")})::float8 as bytes`);
    return Number(row?.bytes);
  };
  const holdings = [`${FOLD_SCHEMA}.holding_interval`, `${FOLD_SCHEMA}.holding_current`];
  return {
    tidemark: await bytes(...holdings),
    tidemarkWithHolders: await bytes(...holdings, `${FOLD_SCHEMA}.holder`),
    plainHistory: await bytes("plain.history"),
    graphNode: await bytes("sgd1.balance"),
  };
}
