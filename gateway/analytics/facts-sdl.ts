// The schema's part about facts, as text: gateway/graphql/facts.graphql is this, kept in the repository for readers.
import { type Column, type FactKind, placeColumns, rankColumns } from "./fact-kind.ts";
import { factsCatalogue } from "./facts-catalogue.ts";

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
const described = (doc: string, indent: string): string => (doc === "" ? "" : `${indent}${JSON.stringify(doc)}\n`);

const enumOf = (kind: FactKind, name: string): string => `${kind.type}${capital(name)}`;
const orderOf = ({ type }: FactKind): string => `${type}Order`;
const filterOf = ({ type }: FactKind): string => `${type}Filter`;

const typeOf = (kind: FactKind, name: string, column: Column): string =>
  `${column.values ? enumOf(kind, name) : column.scalar}${column.isNullable ? "" : "!"}`;

function fieldsOf(kind: FactKind): string[] {
  const columns = Object.entries({ ...placeColumns, ...kind.columns }).flatMap(([name, column]) => {
    const field = `${described(column.doc, "  ")}  ${name}: ${typeOf(kind, name, column)}`;
    return column.unit
      ? [field, `  "The same in whole tokens; null without decimals."\n  ${name}Decimal: Decimal`]
      : [field];
  });
  const nested = Object.entries(kind.leadsTo ?? {}).map(([name, { to }]) =>
    to === "token" ? `  ${name}: TokenDetail!` : `  "Null when its creation is not recorded."\n  ${name}: Market`,
  );
  return [...columns, ...nested];
}

function filterTypeOf(kind: FactKind, name: string, column: Column): string {
  if (column.values) return `[${enumOf(kind, name)}!]`;
  if (column.scalar === "BigInt") return "AmountRange";
  if (column.scalar === "Int") return "IntRange";
  return `[${column.scalar}!]`;
}

function filtersOf(kind: FactKind): string[] {
  const own = Object.entries(kind.columns).flatMap(([name, column]) =>
    column.isFilter === false ? [] : [`  ${name}: ${filterTypeOf(kind, name, column)}`],
  );
  const several = Object.entries(kind.anyOf ?? {}).map(
    ([name, { doc }]) => `${described(doc, "  ")}  ${name}: [Address!]`,
  );
  return [...several, ...own, "  block: BlockRange", "  timestamp: TimestampRange"];
}

function kindSdl(kind: FactKind): string {
  const { type, doc, columns } = kind;
  const enums = Object.entries(columns).flatMap(([name, { values }]) =>
    values ? [`enum ${enumOf(kind, name)} {\n  ${values.join("\n  ")}\n}`] : [],
  );
  const ranks = rankColumns(kind);
  const orders = ranks.length === 0 ? [] : [`enum ${orderOf(kind)} {\n  ${["block", ...ranks].join("\n  ")}\n}`];
  return [
    `${described(doc, "")}type ${type} {\n${fieldsOf(kind).join("\n")}\n}`,
    ...enums,
    `"Facts that meet all of what is given; of a list one value."\ninput ${filterOf(kind)} {\n${filtersOf(kind).join("\n")}\n}`,
    ...orders,
    `type ${type}Edge {\n  cursor: String!\n  node: ${type}!\n}`,
    `type ${type}Connection {
  edges: [${type}Edge!]!
  nodes: [${type}!]!
  pageInfo: PageInfo!
  "The last block whose facts are listed; every page of one walk has the same."
  block: Block!
  "Counted up to 100,000, and only when it is asked for."
  totalCount: Int!
  hasMoreThanTotalCount: Boolean!
}`,
  ].join("\n\n");
}

function questionOf(kind: FactKind): string {
  const order = rankColumns(kind).length === 0 ? "" : `orderBy: ${orderOf(kind)} = block, `;
  const page = "first: Int, after: String, last: Int, before: String";
  return `${described(kind.doc, "  ")}  ${kind.field}(where: ${filterOf(kind)}, ${order}direction: Direction = descending, ${page}): ${kind.type}Connection!`;
}

/** The whole text. */
export const factsSdl =
  (): string => `# Written by gateway/analytics/write-schema.ts out of facts-catalogue.ts: change that, not this.

extend type Query {
  "Everything that was recorded, up to a block."
  facts(block: BlockInput, chainId: Int): Facts!
}

"One list for each kind of fact. Newest first unless \`direction\` says otherwise; 100 of them without \`first\` and \`last\`, at most 1,000."
type Facts {
${factsCatalogue.map(questionOf).join("\n")}
}

enum Direction {
  ascending
  descending
}

"Both ends included; either may be left out."
input BlockRange {
  from: Int
  to: Int
}

"Both ends included; either may be left out."
input TimestampRange {
  from: Timestamp
  to: Timestamp
}

"Raw units, both ends included; either may be left out."
input AmountRange {
  min: BigInt
  max: BigInt
}

"Both ends included; either may be left out."
input IntRange {
  min: Int
  max: Int
}

${factsCatalogue.map(kindSdl).join("\n\n")}
`;
