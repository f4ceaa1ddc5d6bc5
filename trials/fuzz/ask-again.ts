// Asks one question until it is answered: a server that works may say that it is not ready for it yet.
import { setTimeout as sleep } from "node:timers/promises";
import { type Answered, NOT_NOW, parsed } from "./answered.ts";
import type { Ask, RelativeRequest } from "./sample-values.ts";

/** Of those codes, the ones that do not go away by waiting. */
const STAYS: ReadonlySet<string> = new Set(["POOL_STOPPED"]);
const USUAL_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 2_000;

interface Refusal {
  error?: { code?: unknown };
  errors?: readonly { extensions?: { code?: unknown } }[];
}

export interface Outcome {
  /** The last answer, with the time of the slowest one. */
  answered: Answered;
  /** The codes of permitted refusals, in their order. */
  refusals: readonly string[];
  /** It was still refused when `patienceMs` ended. */
  stayed: boolean;
}

/** Asks again for `patienceMs`, as `Retry-After` says; without `patienceMs` it asks only once. */
export async function askAgain(ask: Ask, request: RelativeRequest, patienceMs: number | undefined): Promise<Outcome> {
  const refusals: string[] = [];
  const deadline = Date.now() + (patienceMs ?? 0);
  let milliseconds = 0;
  for (;;) {
    const last = await askTimed(ask, request);
    milliseconds = Math.max(milliseconds, last.milliseconds);
    const code = patienceMs === undefined ? undefined : refusalOf(last);
    const answered = { ...last, milliseconds };
    if (code === undefined) return { answered, refusals, stayed: false };
    refusals.push(code);
    if (Date.now() > deadline) return { answered, refusals, stayed: true };
    const seconds = Number(last.headers.get("retry-after") ?? Number.NaN);
    await sleep(Math.min(Number.isFinite(seconds) ? seconds * 1_000 : USUAL_PAUSE_MS, LONGEST_PAUSE_MS));
  }
}

/** The code of a refusal that may soon be an answer, by REST or in a GraphQL answer. */
export function refusalOf({ status, text }: Pick<Answered, "status" | "text">): string | undefined {
  if (status !== 503 && !text.includes('"errors"')) return undefined;
  const { error, errors } = (parsed(text) ?? {}) as Refusal;
  const codes = [error?.code, ...(Array.isArray(errors) ? errors : []).map((one) => one?.extensions?.code)];
  return codes.find((code): code is string => typeof code === "string" && NOT_NOW.has(code) && !STAYS.has(code));
}

/** The first event of a subscription: the rest never ends. */
async function firstEvent({ body }: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  if (!body) return text;
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    const found = /^data: ?(.+)$/m.exec(text);
    if (found) return found[1] ?? "";
  }
  return text;
}

async function askTimed(ask: Ask, request: RelativeRequest): Promise<Answered> {
  const started = performance.now();
  try {
    const response = await ask(request);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const text = isStream ? await firstEvent(response) : await response.text();
    return { status: response.status, headers: response.headers, text, milliseconds: performance.now() - started };
  } catch (error) {
    const text = `no answer: ${error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error)}`;
    return { status: 0, headers: new Headers(), text, milliseconds: performance.now() - started };
  }
}
