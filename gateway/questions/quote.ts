// The best swap that any provider offers at the newest block, the own router among them.
import { type QuoteBody, quoteBody } from "../aggregator/quote-body.ts";
import { type QuoteParameters, readQuoteInput } from "../aggregator/quote-input.ts";
import { makeSwapQuote } from "../aggregator/swap-quote.ts";
import type { Operation } from "../context.ts";

/** @throws InvalidInputError naming the parameter; what makeSwapQuote throws */
export const quote: Operation<QuoteParameters, QuoteBody> = {
  name: "quote",
  hasOwnSnapshots: true,
  async run(sent, context) {
    const chainId = String(context.chain.chainId);
    const input = readQuoteInput({ tokenInChainId: chainId, tokenOutChainId: chainId, ...sent }, context.chain);
    return quoteBody(await makeSwapQuote(context, input), context.chain);
  },
};
