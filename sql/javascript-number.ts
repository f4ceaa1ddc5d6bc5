// Doubles as JavaScript writes them. DuckDB writes the same digits, the fewest that tell a double from its neighbours, and
// differs in where it goes over to exponents, in their zeros and in the ".0" of whole numbers.

/** From here on DuckDB writes exponents, and JavaScript from 1e21 on. */
const DUCKDB_LARGE = "1e16";
const JAVASCRIPT_LARGE = "1e21";
/** Below, DuckDB writes exponents, and JavaScript below 1e-6. */
const DUCKDB_SMALL = "1e-4";
const JAVASCRIPT_SMALL = "1e-6";

/**
 * SQL of the text that JavaScript's `String` gives of a double above zero. `x`: SQL of the double; `text`: SQL of the same as
 * VARCHAR.
 */
export function javascriptNumber(x: string, text: string): string {
  const digits = `replace(split_part(${text}, 'e', 1), '.', '')`;
  const exponent = `try_cast(split_part(${text}, 'e', 2) as integer)`;
  return `case
    when ${x} >= ${DUCKDB_SMALL}::double and ${x} < ${DUCKDB_LARGE}::double
      then case when suffix(${text}, '.0') then left(${text}, length(${text}) - 2) else ${text} end
    when ${x} >= ${JAVASCRIPT_LARGE}::double or ${x} < ${JAVASCRIPT_SMALL}::double
      then regexp_replace(${text}, 'e([+-])0', 'e\\1')
    when ${x} < ${DUCKDB_SMALL}::double then '0.' || repeat('0', -${exponent} - 1) || ${digits}
    else rpad(${digits}, ${exponent} + 1, '0') end`;
}
