// Asks a running product over its public GraphQL, and nothing else.
import type { ProductPlace } from "../machine/product-place.ts";

/** Longer than the longest answer that a gateway works on. */
const PATIENCE_MS = 60_000;

/** An answer as it came, and what is in it. */
export interface Answered<T> {
  body: string;
  data: T;
}

export type Variables = Record<string, unknown>;

/** @throws UnreachableError, RefusedError */
export type Ask = <T>(document: string, variables: Variables) => Promise<Answered<T>>;

/** No answer came back, or none that could be understood. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
  readonly code = "UNREACHABLE";
}

/** The product's own refusal, with its own message and code. */
export class RefusedError extends Error {
  override name = "RefusedError";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Refusal {
  message?: string;
  code?: string;
  extensions?: { code?: string };
}

interface GraphqlAnswer {
  data?: unknown;
  errors?: Refusal[];
  /** What did not reach GraphQL: a missing key, a rate limit. */
  error?: Refusal;
}

export const openGateway =
  ({ url, key }: ProductPlace): Ask =>
  async <T>(query: string, variables: Variables) => {
    const { status, body } = await post(url, key, JSON.stringify({ query, variables }));
    const answer = parsed(body);
    if (answer === undefined)
      throw new UnreachableError(`${url} answered ${status}, but not as Tidemark does; correct --url`);
    const refusal = answer.errors?.[0] ?? answer.error;
    if (refusal !== undefined || answer.data === undefined || answer.data === null)
      throw new RefusedError(
        refusal?.extensions?.code ?? refusal?.code ?? `HTTP_${status}`,
        refusal?.message ?? `${url} answered ${status} without data`,
      );
    return { body, data: answer.data as T };
  };

async function post(url: string, key: string | undefined, body: string): Promise<{ status: number; body: string }> {
  try {
    const response = await fetch(`${url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key === undefined ? {} : { "x-api-key": key }) },
      body,
      // a redirect would send the key to another server
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, body: await response.text() };
  } catch (error) {
    throw new UnreachableError(
      `${url} does not answer (${reasonOf(error)}); start it with "npm start", or say with --url where one runs`,
    );
  }
}

/** `fetch failed` alone says nothing: its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error ? inner.message : error.message;
}

function parsed(body: string): GraphqlAnswer | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === "object" && answer !== null ? (answer as GraphqlAnswer) : undefined;
  } catch {
    return undefined;
  }
}
