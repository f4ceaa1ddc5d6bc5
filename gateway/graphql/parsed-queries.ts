// Queries that have been parsed and found valid, by their text: clients send the same few again and again. One that comes back
// is compiled into a function: walking a document and its schema for every value of a thousand rows takes most of such an answer's time.
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type VariableDefinitionNode,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import { type AnswerCache, type AnswerPlace, FINAL, type ReaderCache } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";

/** Longer ones are rarely sent twice, as they have lists of addresses in them. */
const LONGEST_STORED = 20_000;
/** Measured: 49 for the document with its tokens, up to 230 with a function that has not run yet. */
const BYTES_PER_CHARACTER = 300;

/** A document with one operation, which is a query. */
class ParsedQuery {
  readonly characters: number;
  readonly #document: DocumentNode;
  readonly #name: string | undefined;
  /** Null: it cannot be compiled. */
  #compiled: CompiledQuery | null | undefined;

  constructor(document: DocumentNode, operation: OperationDefinitionNode) {
    this.characters = document.loc?.end ?? LONGEST_STORED;
    this.#document = document;
    this.#name = operation.name?.value;
  }

  /** Undefined where that is not the query's name, or something in the query is wrong. */
  compiled(schema: GraphQLSchema, operationName: string | undefined): CompiledQuery | undefined {
    if (operationName !== undefined && operationName !== this.#name) return undefined;
    if (this.#compiled === undefined) {
      const compiled = compileQuery(schema, this.#document);
      this.#compiled = isCompiledQuery(compiled) ? compiled : null;
    }
    return this.#compiled ?? undefined;
  }
}

const queries = question<ParsedQuery>("graphql-queries", {
  weigh: ({ characters }) => BYTES_PER_CHARACTER * characters,
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
    if (text.length > LONGEST_STORED || this.get(text)) return;
    const query = onlyQuery(document);
    if (query) this.#cache.set(queries, placeOf(text), query);
  }
}

function onlyQuery(document: DocumentNode): ParsedQuery | undefined {
  const [operation, ...others] = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation?.operation !== OperationTypeNode.QUERY || others.length > 0) return undefined;
  return operation.variableDefinitions?.some(mayBeNullCondition) ? undefined : new ParsedQuery(document, operation);
}

/** Only with a default may a variable that can be null be a condition. Compiled, null would be one; it is an error. */
const mayBeNullCondition = ({ type, defaultValue }: VariableDefinitionNode): boolean =>
  defaultValue !== undefined && type.kind === Kind.NAMED_TYPE && type.name.value === "Boolean";
