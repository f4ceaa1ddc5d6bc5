// All providers asked side by side, for as long as waiting can pay and no longer than the whole deadline.
import { askProvider, NotAwaitedError, type Outcome, type ProviderLine } from "./ask-provider.ts";
import type { ProviderRequest } from "./provider.ts";
import { ProviderFailure } from "./provider-failure.ts";

export interface Gathering {
  lines: readonly ProviderLine[];
  request: ProviderRequest;
  /** For all of them together. */
  timeoutMs: number;
  providerTimeoutMs: number;
  /** Whether no answer that is still to come could be worth the wait. */
  isEnough(outcomes: readonly Outcome[]): boolean;
}

/** One outcome for each line, in their order. Never throws. */
export async function gatherOutcomes(gathering: Gathering): Promise<Outcome[]> {
  const { lines, request, timeoutMs, providerTimeoutMs, isEnough } = gathering;
  if (isEnough([])) return lines.map(({ name }) => notAsked(name));
  const whole = new AbortController();
  const late = () => whole.abort(new ProviderFailure("timeout", `no answer within ${timeoutMs} ms`));
  const timer = setTimeout(late, timeoutMs);
  const arrived: Outcome[] = [];
  try {
    return await Promise.all(
      lines.map(async (line) => {
        const outcome = await askProvider(line, request, { timeoutMs: providerTimeoutMs, signal: whole.signal });
        arrived.push(outcome);
        if (!whole.signal.aborted && arrived.length < lines.length && isEnough(arrived))
          whole.abort(new NotAwaitedError(TOO_LITTLE_TO_WIN));
        return outcome;
      }),
    );
  } finally {
    clearTimeout(timer);
  }
}

const TOO_LITTLE_TO_WIN = "not waited for: too little to be won";

const notAsked = (name: string): Outcome => ({ name, status: "skipped", milliseconds: 0, message: TOO_LITTLE_TO_WIN });
