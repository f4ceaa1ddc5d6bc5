// What a statement may be: one SELECT, or EXPLAIN of one, that reads this catalog's views and functions and nothing else. Decided
// by DuckDB's own parse tree. DuckDB is locked down as well: each of the two walls is enough by itself.
import type { DuckDBConnection } from "@duckdb/node-api";
import { z } from "zod";
import { SqlInvalidError } from "../gateway/sql/sql-errors.ts";
import { type Macro, macros } from "./catalog.ts";
import { requireExactComparison } from "./rough-numbers.ts";
import { placeAt } from "./statement-place.ts";
import { nodesOf, placeOf, type SqlNode, textOf } from "./statement-tree.ts";

/** Longer statements are refused. */
export const LONGEST_STATEMENT = 64 * 1024;

/** Functions beside ours that may stand in place of a table. */
const TABLE_FUNCTIONS = new Set(["range", "generate_series", "unnest"]);

/** Functions that reveal or do something besides working on values. */
const REFUSED_FUNCTIONS = new Set([
  ...[
    "getenv",
    "getvariable",
    "current_setting",
    "set_config",
    "nextval",
    "currval",
    "setseed",
    "sleep_ms",
    "pg_sleep",
    "write_log",
  ],
  ...["current_query", "current_query_id", "current_connection_id", "current_transaction_id", "in_search_path"],
  ...["json_execute_serialized_sql", "json_deserialize_sql", "json_serialize_sql", "json_serialize_plan", "stats"],
  ...["pg_get_viewdef", "pg_get_constraintdef", "pg_conf_load_time", "pg_postmaster_start_time"],
]);

const CATALOG_TABLES = new Set(["information_schema.tables", "information_schema.columns"]);

export interface MacroCall {
  macro: string;
  /** By parameter. */
  addresses: Readonly<Record<string, string>>;
  /** `head` for a call of `head()`. */
  blocks: readonly { parameter: string; block: bigint | "head"; offset: number }[];
  offset: number;
}

export interface CheckedStatement {
  text: string;
  calls: readonly MacroCall[];
}

const parsed = z.object({
  error: z.boolean(),
  error_message: z.string().optional(),
  position: z.string().optional(),
  statements: z.array(z.record(z.string(), z.unknown())).optional(),
});

/** `names`: of the views that may be read. @throws SqlInvalidError saying where */
export async function checkStatement(
  connection: DuckDBConnection,
  text: string,
  names: ReadonlySet<string>,
): Promise<CheckedStatement> {
  if (text.trim() === "") throw new SqlInvalidError("the statement is empty");
  if (Buffer.byteLength(text) > LONGEST_STATEMENT)
    throw new SqlInvalidError(`the statement is longer than ${LONGEST_STATEMENT} bytes`);
  if (text.includes("\0")) throw new SqlInvalidError("the statement contains a zero byte");
  // blanks in place of the word: positions stay
  const question = text.replace(/^\s*explain\b(?!\s*\()/i, (word) => word.replaceAll(/\S/g, " "));
  const tree = await treeOf(connection, question);
  return { text, calls: callsIn(tree, { text, names }) };
}

async function treeOf(connection: DuckDBConnection, text: string): Promise<SqlNode> {
  const reader = await connection.runAndReadAll("select json_serialize_sql($1::VARCHAR)", [text]);
  const { error, error_message, position, statements } = parsed.parse(JSON.parse(String(reader.getRows()[0]?.[0])));
  if (error) {
    const place = position === undefined ? undefined : placeAt(text, Number(position));
    const isOther = /Only SELECT statements/.test(error_message ?? "");
    throw new SqlInvalidError(
      isOther
        ? "only SELECT is answered here: nothing can be changed, set, loaded or attached"
        : (error_message ?? "not SQL"),
      place,
    );
  }
  const [tree, second] = statements ?? [];
  if (tree === undefined) throw new SqlInvalidError("the statement is empty");
  if (second !== undefined) throw new SqlInvalidError("one statement at a time; give only the first one");
  return tree;
}

interface Place {
  text: string;
  names: ReadonlySet<string>;
}

function callsIn(tree: SqlNode, { text, names }: Place): MacroCall[] {
  const nodes = nodesOf(tree);
  const own = new Set(nodes.flatMap((node) => commonNames(node)));
  for (const name of own) requireCommonName(name);
  for (const node of nodes) {
    if (node.class === "FUNCTION") requireFunction(node, text);
    requireExactComparison(node, text);
    if (node.class === "PARAMETER")
      throw new SqlInvalidError("parameters have no values here; write them out", placeOf(node, text));
    if (node.type === "BASE_TABLE") requireTable(node, text, new Set([...names, ...own]));
    if (node.type === "TABLE_FUNCTION") requireTableFunction(node, text);
    if (node.type === "SHOW_REF" && node.query === null && !isShown(node, names))
      throw new SqlInvalidError("only tables of this catalog can be described", placeOf(node, text));
  }
  return nodes
    .filter(({ type }) => type === "TABLE_FUNCTION")
    .flatMap((node) => {
      const call = node.function as SqlNode;
      const macro = macros.find(({ name }) => name === textOf(call.function_name).toLowerCase());
      return macro ? [callOf(macro, call, text)] : [];
    });
}

/** What a WITH gives names to. */
function commonNames({ cte_map }: SqlNode): string[] {
  const { map } = (cte_map ?? {}) as { map?: unknown };
  return Array.isArray(map) ? map.map((entry) => textOf((entry as SqlNode).key).toLowerCase()) : [];
}

/** `show tables`, or one table of the catalog. */
const isShown = ({ show_type: type, table_name: name }: SqlNode, names: ReadonlySet<string>): boolean =>
  type === "SHOW_UNQUALIFIED" ? textOf(name) === '"tables"' : names.has(textOf(name));

/**
 * Outside of the scope of its `with`, DuckDB takes such a name for a relation of its own, or for a file, and this check does not
 * know where the scope ends.
 */
function requireCommonName(name: string): void {
  if (
    !/^[a-z_][a-z0-9_]*$/.test(name) ||
    /^(?:pg|duckdb|pragma|sqlite|information_schema)_|^information_schema$/.test(name)
  )
    throw new SqlInvalidError(
      `with: must be a name of letters, digits and _ that does not begin like one of DuckDB's own, not "${name}"`,
    );
}

function requireFunction(node: SqlNode, text: string): void {
  const name = textOf(node.function_name).toLowerCase();
  if (REFUSED_FUNCTIONS.has(name) || /^(?:duckdb|pragma)_/.test(name))
    throw new SqlInvalidError(`${name}() is not allowed here`, placeOf(node, text));
  // DuckDB 1.5 does not set the first bytes of a negated BIGNUM, which it compares before all others. A negative number that is
  // written out becomes a constant, and is right.
  if (["-", "subtract"].includes(name) && (node.children as SqlNode[]).length === 1)
    throw new SqlInvalidError("write 0 - x in place of -x: negated amounts compare wrongly", placeOf(node, text));
}

function requireTable(node: SqlNode, text: string, names: ReadonlySet<string>): void {
  const [catalog, schema, table] = [node.catalog_name, node.schema_name, node.table_name].map((name) =>
    textOf(name).toLowerCase(),
  );
  const isOurs = catalog === "" && (schema === "" || schema === "main") && names.has(table ?? "");
  const isCatalog = catalog === "" && CATALOG_TABLES.has(`${schema}.${table}`);
  if (!isOurs && !isCatalog)
    throw new SqlInvalidError(
      `there is no table ${[catalog, schema, table].filter((name) => name !== "").join(".")}; "show tables" names all`,
      placeOf(node, text),
    );
}

function requireTableFunction(node: SqlNode, text: string): void {
  const call = node.function as SqlNode;
  const name = textOf(call?.function_name).toLowerCase();
  const isKnown = TABLE_FUNCTIONS.has(name) || macros.some((macro) => macro.name === name);
  if (!isKnown || !["", "main"].includes(textOf(call.schema).toLowerCase()))
    throw new SqlInvalidError(
      `there is no table function ${name}; there are ${macros.map((macro) => macro.name).join(", ")}`,
      placeOf(node, text),
    );
}

function callOf(macro: Macro, call: SqlNode, text: string): MacroCall {
  const given = (call.children ?? []) as SqlNode[];
  const usage = `${macro.name}(${macro.parameters.join(", ")})`;
  if (given.length !== macro.parameters.length) throw new SqlInvalidError(`give ${usage}`, placeOf(call, text));
  const addresses: Record<string, string> = {};
  const blocks: MacroCall["blocks"][number][] = [];
  for (const [i, argument] of given.entries()) {
    const alias = textOf(argument.alias).toLowerCase();
    const parameter = macro.parameters.find((one) => one === alias) ?? macro.parameters[i] ?? "";
    const offset = Number(argument.query_location ?? 0);
    if (parameter === "token" || parameter === "account")
      addresses[parameter] = addressOf(argument, { parameter, usage, text });
    else blocks.push({ parameter, block: blockOf(argument, { parameter, usage, text }), offset });
  }
  if (Object.keys(addresses).length + blocks.length !== macro.parameters.length)
    throw new SqlInvalidError(`give each parameter of ${usage} once`, placeOf(call, text));
  return { macro: macro.name, addresses, blocks, offset: Number(call.query_location ?? 0) };
}

interface Argument {
  parameter: string;
  usage: string;
  text: string;
}

const constantOf = (node: SqlNode): unknown =>
  node.class === "CONSTANT" ? ((node.value as SqlNode | undefined)?.value ?? undefined) : undefined;

/** A decimal is serialised as a whole number of its last digit. */
const isIntegerType = ({ value }: SqlNode): boolean =>
  /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|INTEGER_LITERAL)$/.test(
    textOf(((value as SqlNode | undefined)?.type as SqlNode | undefined)?.id),
  );

function addressOf(node: SqlNode, { parameter, usage, text }: Argument): string {
  const value = constantOf(node);
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw new SqlInvalidError(
      `${parameter}: must be an address written out, '0x' and 40 hex digits, in ${usage}; for a column or a query, join the views`,
      placeOf(node, text),
    );
  return value.toLowerCase();
}

function blockOf(node: SqlNode, { parameter, usage, text }: Argument): bigint | "head" {
  if (node.class === "FUNCTION" && textOf(node.function_name).toLowerCase() === "head") return "head";
  const value = constantOf(node);
  const isNumber = typeof value === "number" && Number.isInteger(value) && isIntegerType(node);
  if (!isNumber)
    throw new SqlInvalidError(
      `${parameter}: must be a block number written out, or head(), in ${usage}; for a column or a query, join the views`,
      placeOf(node, text),
    );
  return BigInt(value);
}
