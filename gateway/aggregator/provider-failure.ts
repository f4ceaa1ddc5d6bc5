// Why a provider gave no answer. Its own words are shortened and cleaned, and shown only in requests with `debug`.

export type FailureKind = "no_route" | "timeout" | "error" | "rate_limited" | "unsupported" | "skipped";

const MOST_CHARACTERS = 200;

/** One line of printable text of at most 200 characters, without addresses of hosts, without `secret` and anything like a key. */
export function cleanMessage(text: string, secret?: string): string {
  const oneLine = (secret === undefined ? text : text.replaceAll(secret, "<key>"))
    .replaceAll(/\b(?:https?|wss?):\/\/[^\s"']+/gi, "<url>")
    // a word after a mere space is taken for a key only after "bearer": "token not found" is what most refusals say
    .replaceAll(/\bbearer[\s:="']+[^\s"',}]+/gi, "Bearer <key>")
    .replaceAll(/\b((?:x-)?api[ _-]?key|token)["']?\s*[:=][\s"']*[^\s"',}]+/gi, "$1 <key>")
    .replaceAll(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "<host>")
    .replaceAll(/[^\x20-\x7e]+/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return oneLine.length <= MOST_CHARACTERS ? oneLine : `${oneLine.slice(0, MOST_CHARACTERS - 1)}~`;
}

interface FailureFacts {
  isTransient?: boolean;
  isRefusal?: boolean;
  retryAfterMs?: number;
}

export class ProviderFailure extends Error {
  override name = "ProviderFailure";
  readonly kind: FailureKind;
  /** Asking again at once may help: the network or the service stumbled. */
  readonly isTransient: boolean;
  /** The service works and refuses this one question: no reason to leave it alone. */
  readonly isRefusal: boolean;
  /** How long the service asked to be left alone. */
  readonly retryAfterMs: number | undefined;

  /** `message` may hold anything that the service said: it is cleaned before it is shown. */
  constructor(kind: FailureKind, message: string, facts: FailureFacts = {}) {
    super(message);
    this.kind = kind;
    this.isTransient = facts.isTransient ?? false;
    this.isRefusal = facts.isRefusal ?? (kind === "no_route" || kind === "unsupported");
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** A refusal by HTTP status and the service's own words. Wrong keys are not the question's fault. */
export const refusedWith = (status: number, said: string, kind: FailureKind = "error"): ProviderFailure =>
  new ProviderFailure(kind, `answered ${status}: ${said}`, { isRefusal: status !== 401 && status !== 403 });
