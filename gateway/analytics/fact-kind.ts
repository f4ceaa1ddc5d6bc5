// How one kind of fact is described. Fields, filters, orders and SQL are all made of this description: see
// facts-catalogue.ts for the descriptions, facts-sdl.ts and page-sql.ts for what is made of them.

/** The token whose smallest unit an amount is in: a column that names it, or a side of the market that `pool` names. */
export type Unit = "token" | "side0" | "side1";

export interface Column {
  scalar: "Address" | "BigInt" | "Int" | "Timestamp" | "Boolean" | "String";
  doc: string;
  isNullable: boolean;
  /** The only possible values: an enum of the schema. */
  values?: readonly string[];
  /** Amounts with a unit get a field `<name>Decimal`. */
  unit?: Unit;
  /** False: nothing filters by it. */
  isFilter?: false;
  /** Lower-case hex digits, which a filter may write in any case. */
  isHex?: true;
}

/** A fact table. `values` are SQL expressions over the fact `f`; without one it is the column of the same name. */
export interface Source {
  table: string;
  /** Null: this table has no such thing. */
  values?: Readonly<Record<string, string | null>>;
  /** SQL condition on `f`. */
  condition?: string;
}

export interface FactKind {
  /** The field that asks for it, and its type. */
  field: string;
  type: string;
  doc: string;
  /** Several are read as one, in the order of the chain. */
  sources: readonly Source[];
  columns: Readonly<Record<string, Column>>;
  /** Filters by address over several columns: one that matches is enough. */
  anyOf?: Readonly<Record<string, { columns: readonly string[]; doc: string }>>;
  /** More that can be asked of each: a field of the type by the column whose address leads there. */
  leadsTo?: Readonly<Record<string, { column: string; to: "token" | "market" }>>;
}

type Options = Partial<Pick<Column, "unit" | "isFilter" | "isHex">>;

const column =
  (scalar: Column["scalar"]) =>
  (doc = "", options: Options = {}): Column => ({ scalar, doc, isNullable: false, ...options });

export const address = column("Address");
export const amount = column("BigInt");
export const whole = column("Int");
export const text = column("String");
export const oneOf = (values: readonly string[]): Column => ({ ...text(), values });
export const maybe = (one: Column): Column => ({ ...one, isNullable: true });

/** Where every fact is, and when. */
export const placeColumns: Readonly<Record<string, Column>> = {
  block: whole(),
  logIndex: whole("Counts within the block."),
  txIndex: whole("The transaction's place in the block."),
  timestamp: { ...column("Timestamp")("Of the block.") },
};

/** What a list can be ordered by beside the order of the chain: amounts that every fact of the kind has. */
export const rankColumns = ({ columns }: FactKind): string[] =>
  Object.entries(columns).flatMap(([name, { scalar, isNullable }]) =>
    scalar === "BigInt" && !isNullable ? [name] : [],
  );

/** Ponder's column for a field. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** SQL of a column over the fact `f`; `null` where the source has none. */
export function expressionOf(source: Source, name: string): string {
  const own = source.values?.[name];
  if (own === null) return "null";
  return own ?? `f."${snakeCase(name)}"`;
}

/** Stands in expressions for the fee of v2 pairs, which the chain file says, in 1/1,000,000. */
export const V2_SWAP_FEE = "$v2_swap_fee$";

const sqlTypes = {
  Address: "text",
  BigInt: "numeric",
  Int: "int4",
  Timestamp: "int4",
  Boolean: "bool",
  String: "text",
} as const;

export const sqlTypeOf = ({ scalar }: Column): string => sqlTypes[scalar];
