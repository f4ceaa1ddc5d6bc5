// Documents that have been parsed and found right, by their text: clients send the same few again and again.
import { type DocumentNode, Kind, OperationTypeNode } from "graphql";

/** Characters of all texts together. */
const MOST_CHARACTERS = 4_000_000;
/** Longer ones are written once, with lists of addresses in them. */
const LONGEST_KEPT = 20_000;

/** A document with one operation, which is a query. */
export interface KnownQuery {
  document: DocumentNode;
  /** It asks one question alone. */
  isOnlyField: boolean;
}

export class KnownDocuments {
  readonly #known = new Map<string, KnownQuery>();
  #characters = 0;

  get(text: string): KnownQuery | undefined {
    return this.#known.get(text);
  }

  /** `document`: parsed from the text, without an error, and valid. Only queries alone are kept. */
  keep(text: string, document: DocumentNode): void {
    if (text.length > LONGEST_KEPT || this.#known.has(text)) return;
    const known = knownQuery(document);
    if (!known) return;
    this.#known.set(text, known);
    this.#characters += text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= MOST_CHARACTERS) return;
      this.#known.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}

function knownQuery(document: DocumentNode): KnownQuery | undefined {
  const [operation, ...others] = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation?.operation !== OperationTypeNode.QUERY || others.length > 0) return undefined;
  const { selections } = operation.selectionSet;
  return { document, isOnlyField: selections.length === 1 && selections[0]?.kind === Kind.FIELD };
}
