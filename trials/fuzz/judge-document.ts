// What is wrong with any answer to a GraphQL document.
import { type Answered, parsed } from "./answered.ts";

interface ShownError {
  message?: unknown;
  extensions?: { code?: unknown; details?: { parameter?: unknown } };
}

/** 413 for a large body, 406 and 415 for what GraphQL over HTTP does not accept. */
const STATUSES = new Set([200, 400, 401, 405, 406, 413, 415, 429, 503]);
/** Messages of a resolver that breaks its own schema or throws. */
const BROKEN =
  /Cannot return null for non-nullable|Unexpected error|Something went wrong|is not iterable|of undefined|of null/;

/** In sentences; empty when nothing is wrong. */
export function judgeDocument(answered: Answered): string[] {
  const { status, text } = answered;
  if (!STATUSES.has(status)) return [`answers ${status}: ${text.slice(0, 300)}`];
  const body = parsed(text) as { data?: unknown; errors?: ShownError[]; error?: unknown } | undefined;
  const problems: string[] = [];
  if (typeof body !== "object" || body === null)
    return status >= 400 ? problems : [...problems, `is not JSON: ${text.slice(0, 200)}`];
  if (body.error !== undefined) return problems;
  if (status >= 400 && !body.errors?.length) problems.push(`answers ${status} without an error`);
  if (status === 200 && !("data" in body) && !body.errors?.length) problems.push("has neither data nor errors");
  return [...problems, ...(body.errors ?? []).flatMap(errorProblems)];
}

function errorProblems({ message, extensions }: ShownError): string[] {
  if (typeof message !== "string" || message === "") return ["has an error without a message"];
  const code = extensions?.code;
  if (code === "INTERNAL" || code === "INTERNAL_SERVER_ERROR" || BROKEN.test(message)) return [`broke: ${message}`];
  if (code !== "INVALID_INPUT") return [];
  const parameter = extensions?.details?.parameter;
  const isNamed = typeof parameter === "string" && message.includes(parameter);
  return isNamed ? [] : [`has an INVALID_INPUT that names no parameter: ${message}`];
}
