// Asks one provider for one quote: whether to ask at all, how long to wait, whether to try again, and the outcome.
import { providerBreaker, providerSeconds } from "../instruments.ts";
import type { ProviderSettings, QuoteSettings } from "../quote-settings.ts";
import { type BreakerState, breakerRules, CircuitBreaker } from "./circuit-breaker.ts";
import type { Provider, ProviderAnswer, ProviderRequest } from "./provider.ts";
import { cleanMessage, type FailureKind, ProviderFailure } from "./provider-failure.ts";
import { RequestBudget } from "./request-budget.ts";

/** The outcome for one provider. */
export interface Outcome {
  name: string;
  status: "success" | FailureKind;
  milliseconds: number;
  answer?: ProviderAnswer;
  /** Why there is no answer. */
  message?: string;
  /** Our own router's, where no other amount has a route either. */
  reason?: string | undefined;
  /** Of one that is left alone after failing: until it is asked again. */
  retryAfterMs?: number;
}

/** A provider on one chain, with what is remembered of it between quotes. */
export interface ProviderLine {
  /** As the chain file writes it. */
  name: string;
  chain: string;
  provider: Provider;
  settings: ProviderSettings;
  breaker: CircuitBreaker;
  budget: RequestBudget;
  onDefect: QuoteSettings["onDefect"];
}

export const openLine = (
  parts: Pick<ProviderLine, "name" | "chain" | "provider" | "settings">,
  { concurrency, pauseMs, onDefect }: Pick<QuoteSettings, "concurrency" | "pauseMs" | "onDefect">,
): ProviderLine => ({
  ...parts,
  onDefect,
  breaker: new CircuitBreaker({ ...breakerRules, pauseMs }),
  budget: new RequestBudget({ requestsPerSecond: parts.settings.requestsPerSecond, concurrency }),
});

interface Patience {
  timeoutMs: number;
  /** Aborted when nobody waits any more; its reason says why. */
  signal: AbortSignal;
  /** Less than half of `timeoutMs` is left: being too slow then says nothing about the provider. */
  isShort: boolean;
}

/** Reason of an abort because the answer is certain: no failure of those still asked. */
export class NotAwaitedError extends Error {
  override name = "NotAwaitedError";
}

/** As the metric counts them. */
const BREAKER_STATES: readonly BreakerState[] = ["closed", "trying", "open"];

const requestsOf = ({ requestsForTransaction }: Provider, { wantsTransaction }: ProviderRequest): number =>
  wantsTransaction ? requestsForTransaction : 1;

/** Never throws: what goes wrong is an outcome. */
export async function askProvider(line: ProviderLine, request: ProviderRequest, patience: Patience): Promise<Outcome> {
  const started = performance.now();
  const outcome = await outcomeOf(line, request, patience);
  const milliseconds = Math.round(performance.now() - started);
  providerBreaker.set({ chain: line.chain, provider: line.name }, BREAKER_STATES.indexOf(line.breaker.state));
  if (outcome.status === "success")
    providerSeconds.observe({ chain: line.chain, provider: line.name }, milliseconds / 1000);
  return { name: line.name, milliseconds, ...outcome };
}

type Bare = Omit<Outcome, "name" | "milliseconds">;

async function outcomeOf(line: ProviderLine, request: ProviderRequest, patience: Patience): Promise<Bare> {
  const { provider, settings, breaker, budget } = line;
  if (settings.missing !== undefined) return { status: "skipped", message: settings.missing };
  if (request.type === "exactOut" && !provider.canExactOut)
    return { status: "unsupported", message: "has no quotes for a fixed output" };
  if (!breaker.admit()) {
    const message = "left alone for a while after failing several times";
    return { status: "skipped", message, retryAfterMs: breaker.pauseLeftMs };
  }
  const refusal = budget.take(requestsOf(provider, request));
  if (refusal) {
    breaker.unknown();
    return { status: "rate_limited", message: refusal };
  }
  try {
    const answer = await withinTime(line, request, patience);
    breaker.succeeded();
    return { status: "success", answer };
  } catch (error) {
    return failed(line, error, patience);
  } finally {
    budget.release();
  }
}

function failed(line: ProviderLine, error: unknown, { isShort }: Patience): Bare {
  const { breaker, budget, settings } = line;
  if (error instanceof NotAwaitedError) {
    breaker.unknown();
    return { status: "skipped", message: error.message };
  }
  if (!(error instanceof ProviderFailure)) reportDefect(line, error);
  const failure =
    error instanceof ProviderFailure ? error : new ProviderFailure("error", "answered something that cannot be read");
  if (failure.retryAfterMs !== undefined) budget.leaveAlone(failure.retryAfterMs);
  if (failure.isRefusal) breaker.succeeded();
  else if (failure.kind === "rate_limited" || (failure.kind === "timeout" && isShort)) breaker.unknown();
  else breaker.failed();
  // services repeat the key that they refuse
  return { status: failure.kind, message: cleanMessage(failure.message, settings.apiKey) };
}

/** Everything that a service may do wrong is a ProviderFailure: this is a mistake of ours. */
function reportDefect({ onDefect, name, chain, settings }: ProviderLine, error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.split("\n").flatMap((line) => /^\s+at (.*)$/.exec(line)?.[1] ?? []);
  onDefect?.({ chain, provider: name, error: cleanMessage(String(error), settings.apiKey), at });
}

/** Ends with the deadline also when what runs below does not listen. */
async function withinTime(line: ProviderLine, request: ProviderRequest, patience: Patience): Promise<ProviderAnswer> {
  const deadline = performance.now() + patience.timeoutMs;
  const inTime = new AbortController();
  const late = () => inTime.abort(new ProviderFailure("timeout", `no answer within ${patience.timeoutMs} ms`));
  const unwanted = () => inTime.abort(patience.signal.reason);
  const timer = setTimeout(late, patience.timeoutMs);
  patience.signal.addEventListener("abort", unwanted, { once: true });
  if (patience.signal.aborted) unwanted();
  const { signal } = inTime;
  const ended = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([ended, askAgain(line, request, { signal, deadline })]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    patience.signal.removeEventListener("abort", unwanted);
  }
}

const ATTEMPTS = 2;
const SHORTEST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 160;
/** With less time left a second attempt could not end. */
const LEAST_TIME_MS = 300;

/** A stumble of the network or the service is tried once more, after a pause that differs from asker to asker. */
async function askAgain(
  line: ProviderLine,
  request: ProviderRequest,
  { signal, deadline }: { signal: AbortSignal; deadline: number },
): Promise<ProviderAnswer> {
  const { provider, settings, budget } = line;
  const access = { url: settings.url ?? "", apiKey: settings.apiKey, signal };
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await provider.quote(request, access);
      refuseBadTarget(answer, { request, settings });
      return answer;
    } catch (error) {
      const pause = SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
      const hasTime = performance.now() + pause + LEAST_TIME_MS < deadline;
      const isWorth = error instanceof ProviderFailure && error.isTransient && attempt < ATTEMPTS && hasTime;
      if (signal.aborted || !isWorth) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (signal.aborted) throw error;
      budget.spend(requestsOf(provider, request));
    }
  }
}

/** Precompiles, and what nobody could have deployed. */
const FIRST_DEPLOYABLE = 0x10000n;

/**
 * Which contracts the aggregator contract may be made to call. It holds other people's allowances: a call to a token could spend them.
 * @throws ProviderFailure when the transaction cannot be made through the aggregator contract
 */
function refuseBadTarget(
  { transaction }: ProviderAnswer,
  { request, settings }: { request: ProviderRequest; settings: Pick<ProviderSettings, "targets"> },
): void {
  if (!transaction) return;
  const { to, value } = transaction;
  const isOfTheSwap = [request.tokenIn, request.tokenOut, request.taker].includes(to);
  const isForeign = settings.targets !== undefined && !settings.targets.includes(to);
  if (isOfTheSwap || isForeign || BigInt(to) < FIRST_DEPLOYABLE)
    throw new ProviderFailure("error", `the transaction goes to ${to}, which is not its contract`);
  if (value !== 0n) throw new ProviderFailure("error", "the transaction wants native coin for a wrapped token");
}
