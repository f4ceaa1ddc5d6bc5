// How deep brackets may be nested before a document is parsed at all: parser and rules call themselves once per level.
import { createGraphQLError } from "graphql-yoga";

/** Introspection as tools write it has some 15, a question with its arguments fewer. */
const DEEPEST_NESTING = 100;

/** A string or comment, whose brackets do not count, or a bracket. A string without an end matches as well, so no text is read twice. */
const PIECES = /"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|#[^\n]*|[{}()[\]]/g;

/** @throws GraphQLError (`QUERY_TOO_LARGE`) */
export function requireShallow(text: string): void {
  let depth = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    if ("{([".includes(piece)) depth += 1;
    else if ("})]".includes(piece)) depth -= 1;
    if (depth > DEEPEST_NESTING)
      throw createGraphQLError(`The document nests brackets more than ${DEEPEST_NESTING} deep.`, {
        extensions: { code: "QUERY_TOO_LARGE", http: { status: 400 } },
      });
  }
}
