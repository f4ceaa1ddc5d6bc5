// Bounds on what one GraphQL document may ask, checked before anything runs.
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from "graphql";

export const DEEPEST_QUERY = 10;
/** Root fields, aliases included: each is one question. */
export const MOST_QUESTIONS = 10;
export const MOST_FIELDS = 500;

interface Size {
  depth: number;
  fields: number;
}

const NOTHING: Size = { depth: 0, fields: 0 };

/**
 * Rejects documents deeper than 10 levels, with more than 10 root fields or more than 500 fields, fragments spread out.
 * Introspection (fields starting with `__`) is not counted.
 */
export function queryLimits(context: ValidationContext): ASTVisitor {
  const refuse = (message: string) =>
    context.reportError(new GraphQLError(message, { extensions: { code: "QUERY_TOO_LARGE" } }));
  return {
    Document(document: DocumentNode) {
      for (const definition of document.definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
        const measure = measurer(context);
        const roots = rootFields(context, definition.selectionSet, []);
        if (roots > MOST_QUESTIONS) refuse(`The query asks ${roots} questions; at most ${MOST_QUESTIONS} at once.`);
        const { depth, fields } = measure(definition.selectionSet, []);
        if (depth > DEEPEST_QUERY) refuse(`The query is ${depth} levels deep; at most ${DEEPEST_QUERY}.`);
        if (fields > MOST_FIELDS) refuse(`The query selects ${fields} fields; at most ${MOST_FIELDS}.`);
      }
    },
  };
}

function rootFields(context: ValidationContext, set: SelectionSetNode, path: readonly string[]): number {
  let count = 0;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) count += selection.name.value.startsWith("__") ? 0 : 1;
    else if (selection.kind === Kind.INLINE_FRAGMENT) count += rootFields(context, selection.selectionSet, path);
    else if (!path.includes(selection.name.value)) {
      const fragment = context.getFragment(selection.name.value);
      if (fragment) count += rootFields(context, fragment.selectionSet, [...path, selection.name.value]);
    }
  }
  return count;
}

/** Measures a selection with its fragments spread out; a fragment's own size is computed once. */
function measurer(context: ValidationContext) {
  const known = new Map<string, Size>();
  const sizeOf = (selection: SelectionNode, path: readonly string[]): Size => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return measure(selection.selectionSet, path);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return spread(selection.name.value, path);
    if (selection.name.value.startsWith("__")) return NOTHING;
    const inner = selection.selectionSet ? measure(selection.selectionSet, path) : NOTHING;
    return { depth: inner.depth + 1, fields: inner.fields + 1 };
  };
  const measure = (set: SelectionSetNode, path: readonly string[]): Size => {
    const sizes = set.selections.map((selection) => sizeOf(selection, path));
    return {
      depth: sizes.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
      fields: sizes.reduce((sum, { fields }) => sum + fields, 0),
    };
  };
  const spread = (name: string, path: readonly string[]): Size => {
    const fragment = path.includes(name) ? undefined : context.getFragment(name);
    if (!fragment) return NOTHING;
    const size = known.get(name) ?? measure(fragment.selectionSet, [...path, name]);
    known.set(name, size);
    return size;
  };
  return measure;
}
