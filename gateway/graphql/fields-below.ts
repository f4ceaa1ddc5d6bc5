// Which fields a query asks for somewhere below one of its fields: what hangs below many nodes is then read before they
// are resolved one by one.
import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";

type Asking = Pick<GraphQLResolveInfo, "fieldNodes" | "fragments" | "variableValues">;

/** The first field of each name. */
export type FieldsBelow = ReadonlyMap<string, FieldNode>;

/** Fragments spread out; what `@skip` and `@include` leave out is not there. */
export function fieldsBelow({ fieldNodes, fragments, variableValues }: Asking): FieldsBelow {
  const found = new Map<string, FieldNode>();
  for (const node of fieldNodes) collect(node.selectionSet, { fragments, variableValues, found, seen: new Set() });
  return found;
}

interface Collected {
  fragments: Asking["fragments"];
  variableValues: Asking["variableValues"];
  found: Map<string, FieldNode>;
  /** Fragments. */
  seen: Set<string>;
}

const isLeftOut = (selection: SelectionNode, variables: Asking["variableValues"]): boolean =>
  getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if === true ||
  getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if === false;

function collect(set: SelectionSetNode | undefined, into: Collected): void {
  for (const selection of set?.selections ?? []) {
    if (isLeftOut(selection, into.variableValues)) continue;
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      collectFragment(selection.name.value, into);
      continue;
    }
    if (selection.kind === Kind.FIELD && !into.found.has(selection.name.value))
      into.found.set(selection.name.value, selection);
    collect(selection.selectionSet, into);
  }
}

function collectFragment(name: string, into: Collected): void {
  if (into.seen.has(name)) return;
  into.seen.add(name);
  collect(into.fragments[name]?.selectionSet, into);
}

/** A number written in the query itself; `otherwise` without the argument, undefined where a variable has it. */
export function writtenNumber(field: FieldNode, argument: string, otherwise: number): number | undefined {
  const given = field.arguments?.find(({ name }) => name.value === argument);
  if (!given) return otherwise;
  return given.value.kind === Kind.INT ? Number(given.value.value) : undefined;
}
