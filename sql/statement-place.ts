// Where in a statement something is, and what DuckDB says about a statement that it refuses.
import { SqlInvalidError, SqlUnavailableError, type StatementPlace } from "../gateway/sql/sql-errors.ts";
import { memoryLimitError } from "./limits.ts";

/** `offset` counts bytes of UTF-8, as DuckDB does. */
export function placeAt(statement: string, offset: number): StatementPlace {
  const before = Buffer.from(statement).subarray(0, offset).toString();
  const lines = before.split("\n");
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
}

interface DuckdbError {
  exception_type?: string;
  exception_message?: string;
  position?: string;
}

/** Errors are JSON by a setting; some have words before it. */
export function parseDuckdbError(error: unknown): DuckdbError {
  const text = error instanceof Error ? error.message : String(error);
  const start = text.indexOf("{");
  try {
    if (start >= 0) return JSON.parse(text.slice(start)) as DuckdbError;
  } catch {
    // words only
  }
  return { exception_message: text };
}

/** After these the database answers nothing any more. */
export const isFatal = (error: unknown): boolean => {
  const { exception_type, exception_message } = parseDuckdbError(error);
  return (
    ["FATAL", "INTERNAL"].includes(exception_type ?? "") ||
    /database has been invalidated/.test(exception_message ?? "")
  );
};

export interface StatementContext {
  statement: string;
  memoryMegabytes: number;
  /** Folders whose paths must not be shown. */
  folders: readonly string[];
}

/** The public face of what DuckDB throws for a statement. */
export function statementError(error: unknown, { statement, memoryMegabytes, folders }: StatementContext): Error {
  const { exception_type: type = "", exception_message: message = "", position } = parseDuckdbError(error);
  if (type === "Out of Memory" || /bad_alloc|failed to allocate/i.test(message))
    return memoryLimitError(memoryMegabytes);
  if (isFatal(error) || type === "IO" || type === "Permission")
    return new SqlUnavailableError("The statement could not be run to its end. Retry in a few seconds.");
  const place = position === undefined ? undefined : placeAt(statement, Number(position));
  const shown = folders.reduce((text, folder) => text.replaceAll(`${folder}/`, ""), message);
  return new SqlInvalidError(`${shown.split("\n").join(" ")} (${type === "" ? "error" : type.toLowerCase()})`, place);
}
