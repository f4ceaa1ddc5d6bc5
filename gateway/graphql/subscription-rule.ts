// The one field of a subscription stands there without a condition. A subscription to nothing is an error of the library that
// executes it, and the validation of subscriptions does not know what variables say.
import {
  type ASTVisitor,
  type DirectiveNode,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  type ValidationContext,
} from "graphql";

const CONDITIONS: ReadonlySet<string> = new Set(["skip", "include"]);

/** Rejects `@skip` and `@include` where a subscription names its field, fragments spread out. */
export function unconditionalSubscription(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== OperationTypeNode.SUBSCRIPTION) return false;
      for (const node of conditionsIn(context, selectionSet, new Set()))
        context.reportError(
          new GraphQLError(`The field of a subscription takes no @${node.name.value}.`, { nodes: node }),
        );
      return false;
    },
  };
}

/** `spread`: names of the fragments that are in already. */
function conditionsIn(
  context: ValidationContext,
  { selections }: SelectionSetNode,
  spread: Set<string>,
): DirectiveNode[] {
  return selections.flatMap((selection) => {
    const own = (selection.directives ?? []).filter(({ name }) => CONDITIONS.has(name.value));
    if (selection.kind === Kind.FIELD) return own;
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return [...own, ...conditionsIn(context, selection.selectionSet, spread)];
    const { value: name } = selection.name;
    const fragment = spread.has(name) ? undefined : context.getFragment(name);
    spread.add(name);
    return fragment ? [...own, ...conditionsIn(context, fragment.selectionSet, spread)] : own;
  });
}
