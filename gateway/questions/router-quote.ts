// The best swap over our own pools at a block: one question, or many at the same block.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Operation } from "../context.ts";
import { GatewayError, InvalidInputError } from "../errors.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { openRouter } from "../router/place.ts";
import { makeQuote, type RouterQuote } from "../router/quote.ts";
import type { QuoteRequest } from "../router/quote-request.ts";

export type { RouterQuote } from "../router/quote.ts";
export { quoteRequest } from "../router/quote-request.ts";

/** Most questions of one batch. */
export const MOST_QUOTES = 50;

/** @throws what openRouter and makeQuote throw */
export const routerQuote: Operation<{ request: QuoteRequest; block: BlockChoice }, RouterQuote> = {
  name: "routerQuote",
  run: async ({ request, block }, context) => makeQuote(context, await openRouter(context, block), request),
};

/** The outcome of one question of a batch; a refusal concerns only that question. */
export type QuoteOutcome = { quote: RouterQuote; refusal: undefined } | { quote: undefined; refusal: GatewayError };

export interface RouterQuotes {
  point: BlockPoint;
  /** In the order asked. */
  outcomes: QuoteOutcome[];
}

interface RouterQuotesInput {
  /** A question that cannot be read is replaced by its refusal. */
  requests: readonly (QuoteRequest | InvalidInputError)[];
  block: BlockChoice;
}

/** Whatever is wrong with one question is its outcome; @throws what openRouter throws */
export const routerQuotes: Operation<RouterQuotesInput, RouterQuotes> = {
  name: "routerQuotes",
  async run({ requests, block }, context) {
    const place = await openRouter(context, block);
    const outcomes: QuoteOutcome[] = [];
    for (const request of requests) {
      try {
        if (request instanceof InvalidInputError) throw request;
        outcomes.push({ quote: await makeQuote(context, place, request), refusal: undefined });
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status >= 500) throw error;
        outcomes.push({ quote: undefined, refusal: error });
      }
      // a search takes milliseconds: other requests get their turn between two
      await nextTurn();
    }
    return { point: place.point, outcomes };
  },
};
