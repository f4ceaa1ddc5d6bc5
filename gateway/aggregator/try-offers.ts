// Where a node is set up for it, the winner is tried out before it is answered, and the next one takes its place when it does not
// pay the minimum, or less than that one promises. Our own router's offer is tried, too: no event shows that a token is paused.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { OperationContext } from "../context.ts";
import { quoteTrials } from "../instruments.ts";
import type { Address } from "../parameters.ts";
import type { QuoteSettings } from "../quote-settings.ts";
import { aggregatorOf } from "./aggregator.ts";
import type { Outcome } from "./ask-provider.ts";
import type { Market } from "./market.ts";
import { bestOf, type Offer } from "./offers.ts";
import { withOwnSnapshot } from "./own-snapshot.ts";
import type { QuoteInput } from "./quote-input.ts";
import { simulateSwap, type Verdict } from "./simulate-swap.ts";
import { type SwapTerms, swapCall, termsOf } from "./swap-call.ts";
import { firstWithoutCode, richestHolders } from "./swap-payer.ts";
import { type Trial, type Tried, tryInTurn } from "./try-in-turn.ts";

const TRY_TIMEOUT_MS = 1_000;
/** With less time left the winner is answered as it is. */
const LEAST_TIME_MS = 50;
/** Of the whole deadline, at most. */
const TRYING_SHARE = 0.25;

/** The part of the time for a whole answer that is reserved for trying out the winner. */
export const tryingMs = ({ simulationUrl, timeoutMs }: QuoteSettings, { chainId }: ChainFile): number =>
  simulationUrl(chainId) === undefined ? 0 : Math.min(TRY_TIMEOUT_MS, timeoutMs * TRYING_SHARE);

interface Trying {
  offers: readonly Offer[];
  outcomes: readonly Outcome[];
  input: QuoteInput;
  market: Market;
  /** By `performance.now()`: when the whole answer has to be there. */
  until: number;
}

export async function firstThatPasses(
  context: OperationContext,
  { offers, outcomes, ...trying }: Trying,
): Promise<Tried> {
  const { service, chain } = context;
  const rpcUrl = aggregatorOf(service).settings.simulationUrl(chain.chainId);
  const { input, market, until } = trying;
  const timeLeft = () => Math.min(TRY_TIMEOUT_MS, Math.round(until - performance.now()));
  let payer: { found: Address | undefined; amountIn: bigint } | undefined;
  const payerOf = async (terms: SwapTerms, rpcUrl: string): Promise<Address | undefined> => {
    if (terms.isNativeIn) return undefined;
    // an offer for an exact output may need more than the one before
    if (payer === undefined || payer.amountIn < terms.amountIn) {
      const holders = await withOwnSnapshot(context, (own) => richestHolders(own, { terms, market }));
      const timeoutMs = timeLeft();
      if (timeoutMs < LEAST_TIME_MS) return undefined;
      payer = { found: await firstWithoutCode({ rpcUrl, timeoutMs }, holders), amountIn: terms.amountIn };
    }
    return payer.found;
  };
  const tryOut = async (winner: Offer): Promise<Trial> => {
    const terms = termsOf(context, { input, winner });
    if (rpcUrl === undefined || !terms || timeLeft() < LEAST_TIME_MS) return undefined;
    const found = await payerOf(terms, rpcUrl);
    const timeoutMs = timeLeft();
    if (timeoutMs < LEAST_TIME_MS) return undefined;
    const verdict = await simulateSwap({ rpcUrl, timeoutMs, terms, method: swapCall(terms), payer: found });
    quoteTrials.inc({ chain: chain.name, verdict: verdict.status });
    return trialOf(verdict, terms.minAmountOut);
  };
  const rules = { ownName: chain.ownRouterName, referrerFeeBps: input.referrerFeeBps, type: input.type };
  return tryInTurn({ offers, outcomes }, { ...rules, tryOut, best: (among) => bestOf(among, input, chain) });
}

function trialOf(verdict: Verdict, minAmountOut: bigint): Trial {
  if (verdict.status === "untried") return undefined;
  if (verdict.status === "failed") return { reason: verdict.reason };
  return verdict.amountOut < minAmountOut ? { reason: "pays less than the minimum" } : { paid: verdict.amountOut };
}
