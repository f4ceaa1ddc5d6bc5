// Router quotes: field -> operation.
import { z } from "zod";
import { InvalidInputError } from "../errors.ts";
import { parseInput } from "../parameters.ts";
import { MOST_QUOTES, routerQuote, routerQuotes } from "../questions/router-quote.ts";
import { type QuoteRequest, quoteRequest } from "../router/quote-request.ts";
import { type BlockArgument, blockChoice, type ChainArgument, type Context, chainId } from "./arguments.ts";
import { routerQuotesView, routerQuoteView } from "./router-views.ts";

/** As in the schema: what is left out may also be null. */
type QuoteInput = Record<string, unknown>;

const given = (input: QuoteInput): QuoteInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));

/** An error in one of many questions does not affect the others. */
function readOrRefuse(quote: QuoteInput): QuoteRequest | InvalidInputError {
  try {
    return parseInput(quoteRequest, quote);
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
}

const batch = z
  .array(z.unknown())
  .min(1, "must hold at least one quote")
  .max(MOST_QUOTES, `must hold at most ${MOST_QUOTES} quotes`);

export const routerQueries = {
  async routerQuote(_: unknown, args: { quote: QuoteInput } & BlockArgument & ChainArgument, { scope }: Context) {
    const request = parseInput(quoteRequest, given(args.quote));
    return routerQuoteView(await scope.run(routerQuote, { request, block: blockChoice(args.block) }, chainId(args)));
  },

  async routerQuotes(_: unknown, args: { quotes: QuoteInput[] } & BlockArgument & ChainArgument, { scope }: Context) {
    parseInput(batch, args.quotes, "quotes");
    const requests = args.quotes.map((quote) => readOrRefuse(given(quote)));
    return routerQuotesView(await scope.run(routerQuotes, { requests, block: blockChoice(args.block) }, chainId(args)));
  },
};
