// `fetch` for a node that may refuse too many requests in a second: it is left alone for as long as it wants, then asked more
// slowly. Callers see every refusal as HTTP 429, whatever form the node gave it.
import { createPace, type Pace } from "./pace.ts";
import { tooOftenOf } from "./too-often.ts";

type Fetch = typeof fetch;

interface Whole {
  status: number;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
}

const TOO_MANY_REQUESTS = 429;
/** For requests that waited for their turn: one is sent for all callers that wait for the same, so none of their own timeouts applies. */
const TIMEOUT_MS = 30_000;
/** Longer answers are no refusals. */
const LONGEST_REFUSAL = 65_536;
const WARN_EVERY_MS = 60_000;

export interface PaceOptions {
  /** Called at most once a minute while the node refuses. */
  warn?: (message: string) => void;
  /** A caller that would wait for longer gets the last refusal again, and nothing is sent. */
  mostWaitMs?: number;
}

/** Only for requests whose body is a text; others pass. */
export function pacedFetch(plain: Fetch, { warn, mostWaitMs = Number.POSITIVE_INFINITY }: PaceOptions = {}): Fetch {
  const pace = createPace();
  const waiting = new Map<string, Promise<Whole>>();
  let warnedAt = Number.NEGATIVE_INFINITY;
  let refused: Whole | undefined;

  const warnOfRefusal = (words: string): void => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    warn?.(
      `the node refuses requests (${words.slice(0, 200)}): it is asked ${pace.perSecond.toFixed(1)} times a second now`,
    );
  };
  const send = async (url: string, init: RequestInit): Promise<Whole> => {
    const sentAt = performance.now();
    const response = await plain(url, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const answer = judged(
      { status: response.status, headers: response.headers, bytes },
      { sentAt, pace, warnOfRefusal },
    );
    if (answer.status === TOO_MANY_REQUESTS) refused = answer;
    return answer;
  };
  const sendInTurn = (url: string, init: RequestInit): Promise<Whole> => {
    const key = `${url} ${questionIn(String(init.body))}`;
    const sent =
      waiting.get(key) ??
      pace.turn().then(() => {
        waiting.delete(key);
        return send(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      });
    waiting.set(key, sent);
    return init.signal ? Promise.race([sent, abortOf(init.signal)]) : sent;
  };
  const answerTo = async (url: string, init: RequestInit): Promise<Whole> => {
    if (refused !== undefined && pace.waitMs > mostWaitMs) return refused;
    return pace.isFree ? send(url, init) : sendInTurn(url, init);
  };
  return async (input, init) => {
    if (init === undefined || typeof init.body !== "string") return plain(input, init);
    const { status, headers, bytes } = await answerTo(input instanceof Request ? input.url : String(input), init);
    return new Response(bytes, { status, headers });
  };
}

interface Judge {
  sentAt: number;
  pace: Pace;
  warnOfRefusal: (words: string) => void;
}

/** The answer, as 429 where the node refuses. */
function judged(whole: Whole, { sentAt, pace, warnOfRefusal }: Judge): Whole {
  const { status, headers, bytes } = whole;
  const text = bytes.length > LONGEST_REFUSAL ? "" : new TextDecoder().decode(bytes);
  const refusal = tooOftenOf({ status, headers, text });
  if (refusal === undefined) {
    pace.granted();
    return whole;
  }
  if (pace.refused(sentAt, refusal.waitMs)) warnOfRefusal(refusal.words);
  const said = new Headers({ "content-type": headers.get("content-type") ?? "application/json" });
  if (refusal.waitMs !== undefined) said.set("retry-after", String(Math.ceil(refusal.waitMs / 1_000)));
  return { status: TOO_MANY_REQUESTS, headers: said, bytes };
}

/** The body without its id: the same for requests that ask for the same. */
const questionIn = (body: string): string => body.replace(/"id":\d+,?/, "");

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
