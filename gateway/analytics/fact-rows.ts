// Facts as one text: a driver needs several times as long for as many rows of their own.
import type { FactsRow } from "../history/raw-facts.ts";
import { type FactKind, placeColumns } from "./fact-kind.ts";

/** The columns of facts that are read; undefined: all. */
export type Wanted = ReadonlySet<string> | undefined;

/** What identifies facts and their markets, and what other fields are derived from. */
const ALWAYS = ["block", "logIndex", "pool", "protocol", "address", "token", "token0", "token1", "fee"];

/** What is needed of facts for fields with these names. */
export function wantedColumns({ columns, leadsTo = {} }: FactKind, fields: Pick<Set<string>, "has">): Set<string> {
  const named = Object.keys({ ...placeColumns, ...columns }).filter(
    (name) => fields.has(name) || fields.has(`${name}Decimal`),
  );
  const leading = Object.entries(leadsTo).flatMap(([name, { column }]) => (fields.has(name) ? [column] : []));
  return new Set([...ALWAYS, ...named, ...leading]);
}

const columnsOf = ({ columns }: FactKind, wanted: Wanted) =>
  Object.entries({ ...placeColumns, ...columns }).filter(([name]) => wanted === undefined || wanted.has(name));

/** SELECT text of one {@link FactsRow} with all rows of `text`, which has the kind's columns, in their order. */
export function factsRowText(kind: FactKind, text: string, wanted?: Wanted): string {
  // amounts have more digits than a number of JSON is read with
  const values = columnsOf(kind, wanted).map(
    ([name, { scalar }]) => `f."${name}"${scalar === "BigInt" ? "::text" : ""}`,
  );
  return `select json_agg(json_build_array(${values.join(", ")}))::text as facts from (${text}) f`;
}

/** The caller, which knows the kind, gives the type of its facts. */
export function factsOfRow<F extends object>(kind: FactKind, [row]: readonly FactsRow[], wanted?: Wanted): F[] {
  if (!row || row.facts === null) return [];
  const names = columnsOf(kind, wanted).map(([name]) => name);
  return (JSON.parse(row.facts) as unknown[][]).map((values) => {
    const fact: Record<string, unknown> = {};
    for (const [i, name] of names.entries()) fact[name] = values[i];
    return fact as F;
  });
}
