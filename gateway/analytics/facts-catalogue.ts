// Every kind of fact that can be asked for. A table of ponder.schema.ts that is missing here fails a test.
import type { FactKind } from "./fact-kind.ts";
import { launchFacts } from "./launch-facts.ts";
import { poolFacts } from "./pool-facts.ts";
import { tokenFacts } from "./token-facts.ts";
import { vaultFacts } from "./vault-facts.ts";

export const factsCatalogue: readonly FactKind[] = [...tokenFacts, ...poolFacts, ...vaultFacts, ...launchFacts];

const byField = new Map(factsCatalogue.map((kind) => [kind.field, kind]));

/** @throws Error when there is no such kind */
export function kindOf(field: string): FactKind {
  const kind = byField.get(field);
  if (!kind) throw new Error(`There is no kind of fact called ${field}.`);
  return kind;
}
