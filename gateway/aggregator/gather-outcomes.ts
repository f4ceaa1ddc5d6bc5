// All providers asked side by side, for as long as waiting can still bring a better offer, at most until the deadline.
import { askProvider, NotAwaitedError, type Outcome, type ProviderLine } from "./ask-provider.ts";
import type { ProviderRequest } from "./provider.ts";
import { ProviderFailure } from "./provider-failure.ts";

export interface Gathering {
  lines: readonly ProviderLine[];
  request: ProviderRequest;
  /** By `performance.now()`: when nobody is waited for any more. */
  until: number;
  providerTimeoutMs: number;
  /** Whether no answer that is still to come could be worth the wait. */
  isEnough(outcomes: readonly Outcome[]): boolean;
  /** Whether there is anything to answer with. */
  hasOffer(outcomes: readonly Outcome[]): boolean;
}

/** With less time left nobody is asked: it could only look like the provider's failure. */
const LEAST_TIME_MS = 50;

/** One outcome for each line, in their order. Never throws. */
export async function gatherOutcomes(gathering: Gathering): Promise<Outcome[]> {
  const { lines, request, until, providerTimeoutMs, isEnough, hasOffer } = gathering;
  if (isEnough([])) return lines.map(({ name }) => notRequested(name));
  const timeoutMs = Math.round(until - performance.now());
  if (timeoutMs < LEAST_TIME_MS) return lines.map(({ name }) => tooLate(name));
  const whole = new AbortController();
  const late = () => whole.abort(new ProviderFailure("timeout", `no answer within the ${timeoutMs} ms left`));
  const timer = setTimeout(late, timeoutMs);
  const arrived: Outcome[] = [];
  const patience = { timeoutMs: providerTimeoutMs, signal: whole.signal, isShort: timeoutMs * 2 < providerTimeoutMs };
  try {
    const requests = lines.map((line) => {
      const outcome = askProvider(line, request, patience).then((one) => {
        arrived.push(one);
        if (!whole.signal.aborted && arrived.length < lines.length && isEnough(arrived))
          whole.abort(new NotAwaitedError(TOO_LITTLE_TO_WIN));
      });
      return { outcome, isTrial: line.breaker.state === "trying" };
    });
    const trials = requests.filter(({ isTrial }) => isTrial);
    await Promise.all(requests.flatMap(({ outcome, isTrial }) => (isTrial ? [] : [outcome])));
    // a provider that failed so often may use the time that the others need; it gets more only where nobody else has an offer
    if (!hasOffer(arrived)) await Promise.all(trials.map(({ outcome }) => outcome));
    return lines.map(({ name }) => arrived.find((outcome) => outcome.name === name) ?? beingTried(name));
  } finally {
    clearTimeout(timer);
  }
}

const TOO_LITTLE_TO_WIN = "not waited for: too little to be won";

const skipped = (name: string, message: string): Outcome => ({ name, status: "skipped", milliseconds: 0, message });
const notRequested = (name: string): Outcome => skipped(name, TOO_LITTLE_TO_WIN);
const beingTried = (name: string): Outcome => skipped(name, "being tried again after failing several times");

const tooLate = (name: string): Outcome => ({
  name,
  status: "timeout",
  milliseconds: 0,
  message: "not asked: the time of the whole answer was used up before",
});
