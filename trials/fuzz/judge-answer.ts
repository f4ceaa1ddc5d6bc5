// What is wrong with any answer, whatever was asked.
import type { z } from "zod";
import { documentedRoutes } from "../../gateway/rest/openapi/document.ts";
import type { Operation } from "../../gateway/rest/openapi/view.ts";
import { type Answered, NOT_NOW, parsed, STAYS } from "./answered.ts";
import type { FuzzRequest } from "./request-arbitrary.ts";

/** Statuses answered before any route is reached. */
const OF_THE_DOOR = new Set([401, 429]);

interface Failure {
  error?: { code?: unknown; message?: unknown; details?: { parameter?: unknown } };
}

/** What is wrong with the answer, in sentences; empty when nothing is. */
export function judgeAnswer(request: FuzzRequest, answered: Answered): string[] {
  return [
    ...statusProblems(request, answered),
    ...(request.method === "HEAD" || request.method === "OPTIONS" ? [] : bodyProblems(request, answered)),
  ];
}

function statusProblems({ operation, method, broken }: FuzzRequest, { status, headers }: Answered): string[] {
  const problems: string[] = [];
  if (headers.get("x-request-id") === null) problems.push("has no request id");
  if (OF_THE_DOOR.has(status)) return problems;
  if (!operation) {
    const expected = method === "OPTIONS" ? [204] : [404, 405];
    return expected.includes(status) ? problems : [...problems, `answers ${status}, not ${expected.join(" or ")}`];
  }
  if (!(status in operation.responses)) problems.push(`answers ${status}, which is not documented`);
  if (status < 400 && broken.length > 0)
    problems.push(`answers ${status} though ${broken.join(", ")} is not as documented`);
  return problems;
}

function bodyProblems({ operation }: FuzzRequest, { status, headers, text }: Answered): string[] {
  if (status >= 400) return failureProblems(operation, { status, text, headers });
  if (status !== 200 || !headers.get("content-type")?.startsWith("application/json")) return [];
  const body = parsed(text);
  if (body === undefined) return ["is not JSON"];
  const schema = operation && schemaOf(operation);
  return schema ? shapeProblems(schema, body) : [];
}

function failureProblems(
  operation: Operation | undefined,
  { status, text, headers }: Pick<Answered, "status" | "text" | "headers">,
): string[] {
  if (status === 500) return [`is a 500: ${text.slice(0, 300)}`];
  const body = parsed(text) as (Failure & { errorCode?: unknown }) | undefined;
  if (body?.errorCode === "NO_ROUTE" && status === 404) return [];
  const { code, message, details } = body?.error ?? {};
  if (typeof code !== "string" || typeof message !== "string") return [`has no code or message: ${text.slice(0, 300)}`];
  if (status === 503 && !NOT_NOW.has(code)) return [`is 503 with the code ${code}`];
  if (status === 503 && !headers.has("retry-after") && !STAYS.has(code)) return ["is 503 without Retry-After"];
  if (status !== 400) return [];
  const parameter = details?.parameter;
  if (typeof parameter !== "string" || !places(code, message, parameter))
    return [`is a 400 that names no parameter: ${message}`];
  const names = operation ? parameterNames(operation) : [];
  // "range.toBlock" is a field of a documented one
  const [whole = parameter] = parameter.split(".");
  return names.includes(whole) ? [] : [`is a 400 about ${parameter}, which is not documented: ${message}`];
}

/** For a statement the message names line and column instead. */
const places = (code: string, message: string, parameter: string): boolean =>
  message.includes(parameter) || (code === "SQL_INVALID" && /^line \d+, column \d+: /.test(message));

const parameterNames = ({ parameters, body }: Operation): string[] => [
  ...parameters.map(({ name }) => name),
  ...(body ? ["body", "content-type", ...Object.keys(body.properties ?? {})] : []),
];

interface Documented {
  method: string;
  path: string;
  responses: Record<string, { content?: Record<string, { schema?: unknown }> }>;
}

/** The schema itself, not the one written into the document. */
function schemaOf({ method, path }: Operation): z.ZodType | undefined {
  const route = (documentedRoutes as unknown as readonly Documented[]).find(
    (one) => one.method.toUpperCase() === method && one.path === path,
  );
  return route?.responses["200"]?.content?.["application/json"]?.schema as z.ZodType | undefined;
}

/** Fields that are missing, of another type, or not in the document. */
function shapeProblems(schema: z.ZodType, body: unknown): string[] {
  const read = schema.safeParse(body);
  if (!read.success) {
    const [issue] = read.error.issues;
    return [`does not fit its schema: ${issue?.path.join(".")}: ${issue?.message}`];
  }
  const extra = firstDifference(body, read.data, "");
  return extra === undefined ? [] : [`has a field that is not documented: ${extra}`];
}

/** Parsing leaves out what the schema does not know. */
function firstDifference(whole: unknown, parsed: unknown, path: string): string | undefined {
  if (typeof whole !== "object" || whole === null || typeof parsed !== "object" || parsed === null) return undefined;
  for (const [name, value] of Object.entries(whole)) {
    if (!(name in parsed)) return `${path}${name}`;
    const deeper = firstDifference(value, (parsed as Record<string, unknown>)[name], `${path}${name}.`);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}
