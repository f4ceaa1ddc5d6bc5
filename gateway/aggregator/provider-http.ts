// One HTTP exchange with a provider: bounded in time and size, and its failures sorted.
import type { z } from "zod";
import { parseExactJson } from "./exact-json.ts";
import { ProviderFailure } from "./provider-failure.ts";
import { type Sending, sendRequest } from "./send-request.ts";

const MOST_RETRY_AFTER_MS = 3_600_000;
const DEFAULT_RETRY_AFTER_MS = 1_000;

interface ProviderCall {
  url: string;
  query?: Record<string, string | undefined>;
  headers?: Record<string, string | undefined>;
  /** Sent as JSON by POST. */
  body?: unknown;
  signal: AbortSignal;
}

export interface ProviderReply {
  status: number;
  isOk: boolean;
  text: string;
  /** All numbers as text. */
  body: unknown;
}

/**
 * Resolves for answers below 500 with a JSON body, refusals included: what a refusal means is up to the provider's own code.
 * @throws ProviderFailure for 429, 5xx, what is no JSON, and a connection that fails
 */
export async function exchange({ url, query = {}, headers = {}, body, signal }: ProviderCall): Promise<ProviderReply> {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, value);
  const sent = Object.entries({
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { status, retryAfter, text } = await send(target, {
    headers: Object.fromEntries(sent),
    signal,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (status === 429)
    throw new ProviderFailure("rate_limited", "answered 429", { retryAfterMs: retryAfterMs(retryAfter) });
  if (status === 503 && retryAfter !== null)
    throw new ProviderFailure("error", "answered 503", { retryAfterMs: retryAfterMs(retryAfter) });
  if (status >= 500) throw new ProviderFailure("error", `answered ${status}`, { isTransient: true });
  return { status, isOk: status >= 200 && status < 300, text, body: parseBody(text, status) };
}

async function send(target: URL, init: Sending) {
  try {
    return await sendRequest(target, init);
  } catch (error) {
    if (init.signal.aborted || error instanceof ProviderFailure) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new ProviderFailure("error", `cannot be reached${code}`, { isTransient: true });
  }
}

function parseBody(text: string, status: number): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw new ProviderFailure("error", `answered ${status} with something that is no JSON`);
  }
}

/** Seconds or an HTTP date. */
function retryAfterMs(header: string | null): number {
  if (header === null) return DEFAULT_RETRY_AFTER_MS;
  const delayMs = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(delayMs) ? Math.min(Math.max(delayMs, 0), MOST_RETRY_AFTER_MS) : DEFAULT_RETRY_AFTER_MS;
}

/** The answer in the shape expected. @throws ProviderFailure naming the field that is not */
export function readAnswer<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ProviderFailure("error", `answered out of shape: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
}
