// Queries that have been parsed and found right, by their text: clients send the same few again and again.
import { type DocumentNode, Kind, OperationTypeNode } from "graphql";
import { type AnswerCache, type AnswerPlace, FINAL, type ReaderCache } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";

/** Longer ones are written once, with lists of addresses in them. */
const LONGEST_STORED = 20_000;
/** Measured, with the tokens that a document is made of. */
const BYTES_PER_CHARACTER = 76;

/** A document with one operation, which is a query. */
export interface ParsedQuery {
  document: DocumentNode;
}

const queries = question<ParsedQuery>("graphql-queries", {
  weigh: ({ document }) => BYTES_PER_CHARACTER * (document.loc?.end ?? LONGEST_STORED),
  unusedMs: 600_000,
});
const placeOf = (text: string): AnswerPlace => ({ at: FINAL, key: text });

export class ParsedQueries {
  readonly #cache: ReaderCache;

  constructor(cache: AnswerCache) {
    // the schema is the same for every index
    this.#cache = cache.for({ index: "", isOpen: false });
  }

  get(text: string): ParsedQuery | undefined {
    return text.length > LONGEST_STORED ? undefined : this.#cache.get(queries, placeOf(text));
  }

  /** `document`: parsed from the text, without an error, and valid. Only queries alone are stored. */
  set(text: string, document: DocumentNode): void {
    const query = text.length > LONGEST_STORED ? undefined : onlyQuery(document);
    if (query) this.#cache.set(queries, placeOf(text), query);
  }
}

function onlyQuery(document: DocumentNode): ParsedQuery | undefined {
  const [operation, ...others] = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation?.operation !== OperationTypeNode.QUERY || others.length > 0) return undefined;
  return { document };
}
