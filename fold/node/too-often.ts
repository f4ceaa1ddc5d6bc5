// How nodes say that they are asked too often: by HTTP status, or by an error of JSON-RPC in an answer that is otherwise fine.
import { z } from "zod";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface TooOften {
  /** For how long the node wants to be left alone; undefined where it does not say. */
  waitMs: number | undefined;
  /** The node's own message. */
  words: string;
}

const errorSchema = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() });
const refusedSchema = z.object({ error: errorSchema });
const backoffSchema = z.object({ rate: z.object({ backoff_seconds: z.number() }) });
type NodeError = z.infer<typeof errorSchema>;

const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** HTTP's status as a code (Alchemy), requests and credits a second (QuickNode), "over rate limit" (Base). */
const CODES: ReadonlySet<number> = new Set([TOO_MANY_REQUESTS, -32_007, -32_012, -32_016]);
/** "Limit exceeded" (EIP-1474), of requests or of what one request may ask for: the message shows which. */
export const LIMIT_EXCEEDED = -32_005;
const OFTEN =
  /too many requests|rate.?limit|request limit|request count|calls per second|compute units|credits|\/sec(ond)?\b/i;
const MUCH = /range|results|blocks|size|duration|time/i;
/** A revert carries the contract's own message, which may contain any words. */
const REVERTED = /revert/i;
const LONGEST_ERROR = 65_536;
const LONGEST_WAIT_MS = 300_000;
const MS = { ms: 1, s: 1_000, m: 60_000 } as const;

/** Undefined: the node accepts the request, whatever else it says. In a batch one refused call is enough. */
export function tooOftenOf(answer: Answer): TooOften | undefined {
  const { status, headers } = answer;
  const error = errorsIn(answer).find(isTooOften);
  const isStatus = status === TOO_MANY_REQUESTS || (status === UNAVAILABLE && headers.has("retry-after"));
  if (!isStatus && error === undefined) return undefined;
  const waitMs = waitOfHeader(headers.get("retry-after")) ?? waitOfError(error);
  return {
    waitMs: waitMs === undefined ? undefined : Math.min(waitMs, LONGEST_WAIT_MS),
    words: error?.message ?? `status ${status}`,
  };
}

/** Errors of an answer, of all answers of a batch; none where it is no JSON. */
export function errorsIn({ text }: Pick<Answer, "text">): NodeError[] {
  if (text.length > LONGEST_ERROR || !text.includes('"error"')) return [];
  try {
    return [JSON.parse(text)].flat().flatMap((one) => {
      const refused = refusedSchema.safeParse(one);
      return refused.success ? [refused.data.error] : [];
    });
  } catch {
    return [];
  }
}

/** Whether an error of JSON-RPC says that the node is asked too often. */
export function isTooOften({ code, message }: Pick<NodeError, "code" | "message">): boolean {
  if (CODES.has(code)) return true;
  if (REVERTED.test(message)) return false;
  return OFTEN.test(message) || (code === LIMIT_EXCEEDED && !MUCH.test(message));
}

/** `Retry-After` in seconds, or a date (RFC 9110, section 10.2.3). */
function waitOfHeader(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

/** Infura's `backoff_seconds`, and words such as "retry in 10s". */
function waitOfError(error: NodeError | undefined): number | undefined {
  if (error === undefined) return undefined;
  const backoff = backoffSchema.safeParse(error.data);
  if (backoff.success && backoff.data.rate.backoff_seconds > 0) return backoff.data.rate.backoff_seconds * 1_000;
  const [, count, unit] = /(?:retry in|wait) (\d+(?:\.\d+)?) ?(ms|s|m)\b/i.exec(error.message) ?? [];
  return count === undefined ? undefined : Number(count) * MS[unit as keyof typeof MS];
}
