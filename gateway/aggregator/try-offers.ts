// Where a node is set up for it, the winner is tried out before it is answered, and the next one takes its place when it
// does not pay what it promised. Our own router's is, too: no event tells of a token that is paused.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import { aggregatorOf } from "./aggregator.ts";
import type { Outcome } from "./ask-provider.ts";
import type { Market } from "./market.ts";
import { bestOf, type Offer } from "./offers.ts";
import { withOwnSnapshot } from "./own-snapshot.ts";
import type { QuoteInput } from "./quote-input.ts";
import type { QuoteSettings } from "./settings.ts";
import { simulateSwap } from "./simulate-swap.ts";
import { swapCall } from "./swap-call.ts";
import { payerOf } from "./swap-payer.ts";
import { termsOf } from "./swap-terms.ts";

interface Tried {
  offers: readonly Offer[];
  outcomes: readonly Outcome[];
}

/** Each try costs a call of the node. */
const MOST_TRIES = 3;
const TRY_TIMEOUT_MS = 1_000;
/** With less time left the winner is answered as it is. */
const LEAST_TIME_MS = 50;
/** Of the whole deadline, at most. */
const TRYING_SHARE = 0.25;

/** What is kept of the time for a whole answer, so that the winner can be tried out within it. */
export const tryingMs = ({ simulationUrl, timeoutMs }: QuoteSettings, { chainId }: ChainFile): number =>
  simulationUrl(chainId) === undefined ? 0 : Math.min(TRY_TIMEOUT_MS, timeoutMs * TRYING_SHARE);

/** `until` by `performance.now()`: when the whole answer has to be there. */
export async function firstThatPasses(
  context: OperationContext,
  { input, market, until, ...tried }: Tried & { input: QuoteInput; market: Market; until: number },
): Promise<Tried> {
  const { settings } = aggregatorOf(context.service);
  const rpcUrl = settings.simulationUrl(context.chain.chainId);
  if (rpcUrl === undefined) return tried;
  let left: Tried = tried;
  let payer: { found: Address | undefined } | undefined;
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const winner = bestOf(left.offers, input, context.chain);
    const terms = winner && termsOf(context, { input, winner });
    if (!winner || !terms) return left;
    const timeoutMs = Math.min(TRY_TIMEOUT_MS, Math.round(until - performance.now()));
    if (timeoutMs < LEAST_TIME_MS) return left;
    payer ??= { found: await withOwnSnapshot(context, (own) => payerOf(own, { rpcUrl, timeoutMs, terms, market })) };
    const verdict = await simulateSwap({ rpcUrl, timeoutMs, terms, method: swapCall(terms), payer: payer.found });
    const isSound = verdict.status === "passed" && verdict.amountOut >= terms.minAmountOut;
    if (verdict.status === "untried" || isSound) return left;
    const reason = verdict.status === "failed" ? verdict.reason : "pays less than the minimum";
    left = without(left, winner.name, `tried out: ${reason}`);
  }
  return left;
}

const without = ({ offers, outcomes }: Tried, name: string, message: string): Tried => ({
  offers: offers.filter((offer) => offer.name !== name),
  outcomes: outcomes.map((outcome) =>
    outcome.name === name ? { name, status: "error", milliseconds: outcome.milliseconds, message } : outcome,
  ),
});
