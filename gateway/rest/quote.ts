// GET /quote: the answer is the operation's.
import type { Context } from "hono";
import type { Service } from "../context.ts";
import { quote } from "../questions/quote.ts";
import { chainOfPair } from "./router-quote.ts";
import { withinRequest } from "./within-request.ts";

export const getQuote =
  (service: Service) =>
  (c: Context): Promise<Response> =>
    withinRequest(service, c, async (scope) => {
      const sent = c.req.query();
      const answer = await scope.run(quote, sent, chainOfPair(service, sent));
      c.header("X-Block-Number", answer.blockNumber);
      c.header("Cache-Control", "no-store");
      return c.json(answer);
    });
