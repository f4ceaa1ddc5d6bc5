// The one door to raw facts. Those of final blocks are rows of Ponder's own tables, and a reorganisation waits for their
// readers: they are read under a savepoint, within limits of time, and let go of at once. Newer ones, and all that
// announce contracts, are the fold's own copies.
import { hash } from "node:crypto";
import { registryTables } from "../../core/fact-tables.ts";
import { codeOf } from "../../database/error-codes.ts";
import { quoted, recentSchema } from "../../fold/tables.ts";
import { question } from "../cache/question.ts";
import type { ReadScope } from "../database/read-scope.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { UnavailableError } from "../errors.ts";
import { answerPlace } from "./as-of.ts";
import type { BlockPoint } from "./point.ts";

/** Of {@link readBounded}: locks of Ponder's tables are let go of within about this. */
const LONGEST_READ = "1s";

export interface RawFacts extends Pick<ReadScope, "rows" | "prepared" | "readLimited"> {
  /** Quoted name of the schema whose views show the facts of all folded blocks, and of no others. */
  readonly schema: string;
  /** Quoted name of the view of one kind of fact: for ranges of blocks and sums. */
  view(table: string): string;
  /** Relations that have the same facts between them, each with its own indexes: for what is ordered and cut. */
  parts(table: string): string[];
  /** Whether facts of final blocks can be sought by `column`: soon after an index is whole they can where docs/adr/0015 says so. */
  isIndexed(table: string, column: string): Promise<boolean>;
}

/** A page of facts as one text: see `factsRowText`. */
export interface FactsRow {
  facts: string | null;
}

/** About 300 facts. A client that reads a whole list leaves room for what others ask. */
const LONGEST_CACHED = 64 * 1024;

const factPages = question<FactsRow[]>("fact-pages", {
  isLasting: (rows) => rows.every(({ facts }) => (facts?.length ?? 0) <= LONGEST_CACHED),
});

/**
 * The page whose text `textOf` gives, of facts at or before `point`: these are the same in every request about that block.
 * Without a text there are none.
 * @throws TooManyFactsError after a second
 */
export const readPage = (
  snapshot: Snapshot,
  point: BlockPoint,
  textOf: (facts: RawFacts) => string | undefined,
): Promise<FactsRow[]> =>
  readFacts(snapshot, async (facts) => {
    const text = textOf(facts);
    if (text === undefined) return [];
    const place = answerPlace(point, hash("sha1", text, "base64"));
    return snapshot.cache.of(factPages, place, () => readBounded<FactsRow>(facts, text));
  });

/** What `read` gives; nothing slow belongs into it but reading facts. */
export const readFacts = <T>(snapshot: Snapshot, read: (facts: RawFacts) => Promise<T>): Promise<T> =>
  snapshot.withFacts((scope) => read(factsOf(scope)));

/**
 * The same of blocks after `after`. While none of them is final, all their facts are the fold's own copies: nobody waits for
 * their readers.
 */
export function readFactsAfter<T>(
  snapshot: Snapshot,
  after: number,
  read: (facts: Pick<RawFacts, "rows" | "view">) => Promise<T>,
): Promise<T> {
  const { live, finalized } = snapshot.state;
  if (live === undefined || after < finalized) return readFacts(snapshot, read);
  const copies = quoted(recentSchema(live.fold));
  return read({
    rows: (text, parameters) => snapshot.rows(text, parameters),
    view: (table) => `${copies}.${table}`,
  });
}

const INDEX_BEGINNING_WITH = `
  select from pg_catalog.pg_index i
    join pg_catalog.pg_class t on t.oid = i.indrelid join pg_catalog.pg_namespace s on s.oid = t.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
   where i.indisvalid and s.nspname = $1 and t.relname = $2 and a.attname = $3`;

function factsOf(scope: ReadScope): RawFacts {
  const { fold, state } = scope;
  const view = (table: string) => `${fold}.${table}`;
  return {
    schema: fold,
    rows: scope.rows,
    prepared: scope.prepared,
    readLimited: scope.readLimited,
    view,
    parts(table) {
      const { live } = state;
      if (registryTables.includes(table) || live === undefined) return [view(table)];
      const final = `${quoted(live.facts)}.${table} where block <= ${state.finalized}`;
      return [`(select * from ${final})`, `${quoted(recentSchema(live.fold))}.${table}`];
    },
    async isIndexed(table, column) {
      const rows = await scope.rows(INDEX_BEGINNING_WITH, [state.live?.facts ?? "", table, column]);
      return rows.length > 0;
    },
  };
}

/**
 * Rows of one statement that may run into its limit.
 * @throws TooManyFactsError after a second
 */
export async function readBounded<T extends object>(facts: RawFacts, text: string): Promise<T[]> {
  try {
    // undone together with the locks
    return await facts.readLimited<T>(text, `set local statement_timeout = '${LONGEST_READ}'`);
  } catch (error) {
    if (codeOf(error) === "57014") throw new TooManyFactsError();
    throw error;
  }
}

/** 503 `TIMEOUT`: more facts had to be read than is possible in a second. */
export class TooManyFactsError extends UnavailableError {
  override name = "TooManyFactsError";

  constructor() {
    super(
      "TIMEOUT",
      "More facts had to be read than is possible in a second. Give a shorter range of blocks or time, or name a pool, vault, token or account.",
    );
  }
}
