// Bounds on what one GraphQL document may ask, checked before anything runs.
import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
  visit,
} from "graphql";
import { createGraphQLError } from "graphql-yoga";
import { lengthOf } from "./list-lengths.ts";

const DEEPEST_QUERY = 10;
/** Root fields, aliases included: each is one question. So is each kind of fact. */
const MOST_QUESTIONS = 10;
const MOST_FIELDS = 500;
/** Fields of the answer if every list is as long as it may be. */
const MOST_WRITTEN = 500_000;
/** Fields that introspection may return; GraphiQL's own query takes a quarter of them. */
const MOST_INTROSPECTED = 2_000_000;
/** Fields and fragments as they are written, introspection too: other rules compare them by pairs. */
const MOST_SELECTIONS = 2_000;

/** Root fields that are no question themselves: the fields below them are. */
const CONTAINERS = new Set(["facts"]);

interface Size {
  depth: number;
  fields: number;
  written: number;
  introspected: number;
}

const NOTHING: Size = { depth: 0, fields: 0, written: 0, introspected: 0 };

/**
 * Rejects documents deeper than 10 levels, with more than 10 questions, more than 500 fields, or nested lists that could
 * write more than 500,000, fragments spread out. Introspection (fields starting with `__`) has a bound of its own, and so
 * has the length of any document.
 */
export function queryLimits(context: ValidationContext): ASTVisitor {
  const refuse = (message: string) =>
    context.reportError(new GraphQLError(message, { extensions: { code: "QUERY_TOO_LARGE" } }));
  return {
    Document(document: DocumentNode) {
      const selections = selectionsIn(document);
      if (selections > MOST_SELECTIONS)
        return void refuse(`The document has ${selections} fields and fragments; at most ${MOST_SELECTIONS}.`);
      const measure = measurer(context);
      for (const definition of document.definitions)
        if (definition.kind === Kind.OPERATION_DEFINITION)
          for (const problem of problemsOf(context, definition, measure)) refuse(problem);
    },
  };
}

/** Each as often as it is written, fragments where they are defined. */
function selectionsIn(document: DocumentNode): number {
  let count = 0;
  visit(document, {
    Field: () => void count++,
    FragmentSpread: () => void count++,
    InlineFragment: () => void count++,
    FragmentDefinition: () => void count++,
  });
  return count;
}

function* problemsOf(
  context: ValidationContext,
  { operation, selectionSet }: OperationDefinitionNode,
  measure: Measure,
): Generator<string> {
  const count = questions(context, selectionSet, { path: [], counted: new Map() });
  if (count > MOST_QUESTIONS) yield `The query asks ${count} questions; at most ${MOST_QUESTIONS} at once.`;
  const type = context.getSchema().getRootType(operation) ?? undefined;
  const { depth, fields, written, introspected } = measure(selectionSet, { type, path: [] });
  if (depth > DEEPEST_QUERY) yield `The query is ${depth} levels deep; at most ${DEEPEST_QUERY}.`;
  if (fields > MOST_FIELDS) yield `The query selects ${fields} fields; at most ${MOST_FIELDS}.`;
  if (written > MOST_WRITTEN)
    yield `The answer could have ${written} fields; at most ${MOST_WRITTEN}: ask for smaller pages, shorter lists or fewer fields.`;
  if (introspected > MOST_INTROSPECTED)
    yield `Introspection could return ${introspected} fields; at most ${MOST_INTROSPECTED}: nest fewer lists.`;
}

interface Counting {
  path: readonly string[];
  /** Of fragments, each once. */
  counted: Map<string, number>;
}

function questions(context: ValidationContext, set: SelectionSetNode, counting: Counting): number {
  let count = 0;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) count += questionsOf(context, selection, counting);
    else if (selection.kind === Kind.INLINE_FRAGMENT) count += questions(context, selection.selectionSet, counting);
    else count += questionsOfFragment(context, selection.name.value, counting);
  }
  return count;
}

function questionsOfFragment(context: ValidationContext, name: string, { path, counted }: Counting): number {
  const fragment = path.includes(name) ? undefined : context.getFragment(name);
  if (!fragment) return 0;
  const count = counted.get(name) ?? questions(context, fragment.selectionSet, { path: [...path, name], counted });
  counted.set(name, count);
  return count;
}

function questionsOf(context: ValidationContext, field: FieldNode, counting: Counting): number {
  if (field.name.value.startsWith("__")) return 0;
  if (!CONTAINERS.has(field.name.value) || !field.selectionSet) return 1;
  return questions(context, field.selectionSet, counting);
}

interface Above {
  /** Undefined: another rule reports the unknown field. */
  type: object | undefined;
  path: readonly string[];
}

/** Of the schema's own lists; those of arguments are short. */
function introspectedLength(schema: GraphQLSchema, name: string): number {
  if (name === "types") return Object.keys(schema.getTypeMap()).length;
  return name === "args" ? 3 : 10;
}

/** What introspection begins with. */
const META_TYPES: Readonly<Record<string, string>> = { __schema: "__Schema", __type: "__Type" };

/** By their properties, not by class: a second copy of the graphql package may have made them. */
function fieldOf(type: object | undefined, name: string): GraphQLField<unknown, unknown> | undefined {
  if (!type || !("getFields" in type) || typeof type.getFields !== "function") return undefined;
  return type.getFields()[name];
}

const namedType = (type: GraphQLOutputType): object => ("ofType" in type ? namedType(type.ofType) : type);

type Measure = (set: SelectionSetNode, above: Above) => Size;

/** Measures a selection with its fragments spread out; a fragment's own size is computed once. */
function measurer(context: ValidationContext): Measure {
  const measured = new Map<string, Size>();
  const sizeOf = (selection: SelectionNode, above: Above): Size => {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const name = selection.typeCondition?.name.value;
      return measure(selection.selectionSet, { ...above, type: name ? context.getSchema().getType(name) : above.type });
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) return spread(selection.name.value, above.path);
    return fieldSize(selection, above);
  };
  const fieldSize = (field: FieldNode, { type, path }: Above): Size => {
    const schema = context.getSchema();
    const meta = META_TYPES[field.name.value];
    if (meta !== undefined && field.selectionSet) {
      const { written } = measure(field.selectionSet, { type: schema.getType(meta), path });
      return { ...NOTHING, introspected: written };
    }
    if (field.name.value.startsWith("__")) return NOTHING;
    const definition = fieldOf(type, field.name.value);
    const below = { type: definition && namedType(definition.type), path };
    const inner = field.selectionSet ? measure(field.selectionSet, below) : NOTHING;
    const typeName = type !== undefined && "name" in type ? String(type.name) : "";
    const isMeta = typeName.startsWith("__");
    const isList = definition !== undefined && String(definition.type).startsWith("[");
    const length =
      isMeta && isList ? introspectedLength(schema, field.name.value) : lengthOf(typeName, field, definition);
    const { depth, fields, introspected } = inner;
    return { depth: depth + 1, fields: fields + 1, written: 1 + inner.written * length, introspected };
  };
  const measure: Measure = (set, above) => {
    const sizes = set.selections.map((selection) => sizeOf(selection, above));
    return {
      depth: sizes.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
      fields: sizes.reduce((sum, { fields }) => sum + fields, 0),
      written: sizes.reduce((sum, { written }) => sum + written, 0),
      introspected: sizes.reduce((sum, { introspected }) => sum + introspected, 0),
    };
  };
  const spread = (name: string, path: readonly string[]): Size => {
    const fragment = path.includes(name) ? undefined : context.getFragment(name);
    if (!fragment) return NOTHING;
    const type = context.getSchema().getType(fragment.typeCondition.name.value);
    const size = measured.get(name) ?? measure(fragment.selectionSet, { type, path: [...path, name] });
    measured.set(name, size);
    return size;
  };
  return measure;
}

/** Introspection as tools write it has some 15, a question with its arguments fewer. */
const DEEPEST_NESTING = 100;

/** A string or comment, whose brackets do not count, or a bracket. A string without an end matches as well, so no text is read twice. */
const PIECES = /"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|#[^\n]*|[{}()[\]]/g;

/**
 * How deep brackets may be nested before a document is parsed at all: parser and rules call themselves once per level.
 * @throws GraphQLError (`QUERY_TOO_LARGE`)
 */
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
