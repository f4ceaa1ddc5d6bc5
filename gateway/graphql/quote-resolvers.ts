// Swap quotes of all providers: field -> operation. The arguments go on as text, as REST has them.
import type { QuoteParameters } from "../aggregator/quote-input.ts";
import { quote } from "../questions/quote.ts";
import type { Context } from "./arguments.ts";

interface Arguments {
  chainId?: number | null;
  [name: string]: string | number | boolean | null | undefined;
}

export const quoteQueries = {
  quote: (_: unknown, { chainId, ...args }: Arguments, { scope }: Context) => {
    const given = Object.entries(args).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, String(value)]],
    );
    const sent: QuoteParameters = Object.fromEntries(given);
    return scope.run(quote, sent, chainId ?? undefined);
  },
};
