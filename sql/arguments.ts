// The arguments of `npm run sql`.
import { type AnswerFormat, parseFormat } from "../gateway/rest/answer-format.ts";
import { readArguments, UsageError } from "../machine/command-line.ts";

export const USAGE = `npm run sql -- "<statement>" [--format csv|json|ndjson|parquet] [--file <path>]
npm run sql -- serve   (the process behind the gateway's POST /sql; npm start runs it)
A statement may also come from standard input: npm run sql -- - < question.sql`;

export type SqlTask =
  | { kind: "help" }
  | { kind: "serve" }
  | { kind: "statement"; query: string; format: AnswerFormat; file: string | undefined };

/** The query `-` stands for standard input. @throws UsageError with one line naming the option */
export function parseTask(args: readonly string[]): SqlTask {
  const { values, positionals } = readOptions(args);
  if (values.help) return { kind: "help" };
  const [query, more] = positionals;
  if (query === undefined || more !== undefined) throw new UsageError("give one statement, in quotes");
  if (query === "serve") return { kind: "serve" };
  const ending = /\.(csv|json|ndjson|parquet)$/.exec(values.file ?? "")?.[1];
  const format = parseFormat(values.format ?? ending ?? "csv");
  if (format === "parquet" && values.file === undefined) throw new UsageError("--file: name a file for Parquet");
  return { kind: "statement", query, format, file: values.file };
}

function readOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = { format: text, file: text, help: { type: "boolean" } } as const;
  return readArguments(args, { options, allowPositionals: true });
}
