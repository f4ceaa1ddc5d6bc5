// What a kind of history is, declared once: tables, the text that reads it as of a block, and the merge of its versions
// are all made from the declaration.
//
// A version is (key, block, values): what holds from the end of that block on. Versions of blocks that are not final live
// in `<name>_recent`; final ones are merged into `<name>_current` (what holds now, since a block) and `<name>_interval`
// (what held from the end of `from_block` up to and including `to_block - 1`).

export interface History {
  /** Prefix of the three tables. */
  name: string;
  /** Columns that distinguish entities, with their SQL types. */
  key: Readonly<Record<string, string>>;
  /** Columns of its state, with their SQL types; none is null. */
  values: Readonly<Record<string, string>>;
  /** The value that this column has where the entity is nothing: such a version ends what held. A number, or bytes as 0x and hex digits. */
  nothing?: { column: string; value: string };
}

export const keyColumns = ({ key }: History): string[] => Object.keys(key);
export const valueColumns = ({ values }: History): string[] => Object.keys(values);

/** The columns as a list, of relation `of` where given. */
export const listed = (columns: readonly string[], of?: string): string =>
  columns.map((column) => (of === undefined ? column : `${of}.${column}`)).join(", ");

/** SQL condition: the rows `a` and `b` are of one entity. */
export const isSameEntity = (history: History, a: string, b: string): string =>
  keyColumns(history)
    .map((column) => `${a}.${column} = ${b}.${column}`)
    .join(" and ");

/** SQL condition: the entity is something. */
export function isSomething({ nothing }: History, row: string): string {
  if (nothing === undefined) return "true";
  const { column, value } = nothing;
  return `not (${row}.${column} = ${value.startsWith("0x") ? `'\\x${value.slice(2)}'::bytea` : value})`;
}
