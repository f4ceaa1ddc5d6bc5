// Where the fold reads facts: final ones in Ponder's tables, under its locks; newer ones in copies of its own.
import type { Sql } from "postgres";
import type { Standing } from "../history/version-log.ts";
import { quoted, recentSchema } from "../tables.ts";
import { withFacts } from "./facts-reader.ts";

export interface Schemas {
  ponder: string;
  fold: string;
}

export interface FactSource {
  /** What the facts are folded into: final history, or versions that may still be taken back. */
  standing: Standing;
  /** Quoted name of a schema with a table of every kind of fact. */
  schema: string;
  /** The connection that it is read on. */
  db: Sql;
  /** Reads it in statements that see one state of it. */
  read<T>(read: () => Promise<T>): Promise<T>;
}

export const finalFacts = (db: Sql, { ponder }: Schemas): FactSource => ({
  standing: "final",
  schema: quoted(ponder),
  db,
  read: (read) => withFacts(db, ponder, read),
});

/** Read inside a transaction of the fold, their only writer. */
export const recentFacts = (db: Sql, { fold }: Schemas): FactSource => ({
  standing: "recent",
  schema: quoted(recentSchema(fold)),
  db,
  read: (read) => read(),
});
