// A typed client in one file that needs only fetch. Copy this folder: it imports nothing from the rest of the project.
import { type Operations, places } from "./generated/api.ts";

type Id = keyof Operations;
type Given<T> = [T] extends [undefined] ? { body?: undefined } : { body: T };
/** Only what the operation takes, and everything that it needs. */
export type Request<O extends Id> = Parameters<Operations[O]["params"], "params"> &
  Parameters<Operations[O]["query"], "query"> &
  Given<Operations[O]["body"]>;
type Parameters<T, Name extends string> = Record<never, never> extends T ? { [K in Name]?: T } : { [K in Name]: T };

interface Failure {
  error?: { code: string; message: string; details?: Record<string, unknown> };
}

/** The server refused the request; programs decide by its code. */
export class RefusedError extends Error {
  override name = "RefusedError";
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(status: number, { error }: Failure) {
    super(error?.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = error?.code ?? "UNKNOWN";
    this.details = error?.details ?? {};
  }
}

/** Nothing answers at the URL. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
  readonly code = "UNREACHABLE";

  constructor(url: string, thrown: unknown) {
    const { message, cause } = thrown instanceof Error ? thrown : { message: String(thrown), cause: undefined };
    const reason = cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : message;
    super(`${url} does not answer: ${reason}`, { cause: thrown });
  }
}

export interface ClientSetting {
  /** For instance `http://127.0.0.1:4000`. */
  url: string;
  key?: string;
  /** How often to ask again after a 429 or 503, waiting as long as the server says; 3 if absent. */
  retries?: number;
  fetch?: (url: string, init: RequestInit) => Response | Promise<Response>;
}

export type Client = <O extends Id>(operation: O, request: Request<O>) => Promise<Operations[O]["answer"]>;

interface Loose {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export function createClient({ url, key, retries = 3, fetch: ask = fetch }: ClientSetting): Client {
  return async (operation, request) => {
    const [method, path] = places[operation];
    const { params = {}, query = {}, body } = request as Loose;
    const target = url.replace(/\/$/, "") + filled(path, params) + queryText(query);
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      ...(key ? { "x-api-key": key } : {}),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const send = async () => ask(target, init);
    for (let attempt = 0; ; attempt++) {
      const response = await send().catch((thrown: unknown) => {
        throw new UnreachableError(url, thrown);
      });
      if (response.ok) return answerOf(response);
      const failure = (await response.json().catch(() => ({}))) as Failure;
      if (attempt >= retries || ![429, 503].includes(response.status)) throw new RefusedError(response.status, failure);
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get("retry-after") ?? 1) * 1_000));
    }
  };
}

async function answerOf<O extends Id>(response: Response): Promise<Operations[O]["answer"]> {
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return (isJson ? await response.json() : await response.text()) as Operations[O]["answer"];
}

const filled = (path: string, params: Record<string, unknown>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));

/** Lists are joined with commas. */
function queryText(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return "";
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}
