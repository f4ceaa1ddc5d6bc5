// Facts as one text: a driver needs several times as long for as many rows of their own.
import { type FactKind, placeColumns } from "./fact-kind.ts";

export interface FactsRow {
  facts: string | null;
}

const columnsOf = ({ columns }: FactKind) => Object.entries({ ...placeColumns, ...columns });

/** SELECT text of one {@link FactsRow} with all rows of `text`, which has the kind's columns, in their order. */
export function factsRowText(kind: FactKind, text: string): string {
  // amounts have more digits than a number of JSON is read with
  const values = columnsOf(kind).map(([name, { scalar }]) => `f."${name}"${scalar === "BigInt" ? "::text" : ""}`);
  return `select json_agg(json_build_array(${values.join(", ")}))::text as facts from (${text}) f`;
}

/** Whoever knows the kind says what its facts are. */
export function factsOfRow<F extends object>(kind: FactKind, [row]: readonly FactsRow[]): F[] {
  if (!row || row.facts === null) return [];
  const names = columnsOf(kind).map(([name]) => name);
  return (JSON.parse(row.facts) as unknown[][]).map((values) => {
    const fact: Record<string, unknown> = {};
    for (const [i, name] of names.entries()) fact[name] = values[i];
    return fact as F;
  });
}
