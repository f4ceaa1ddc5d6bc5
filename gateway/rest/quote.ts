// GET /quote: the answer is the operation's.
import type { Context } from "hono";
import { clientGone } from "../access/client-gone.ts";
import { RequestScope, type Service } from "../context.ts";
import { quote } from "../operations/quote.ts";
import { chainOfPair } from "./router-quote.ts";

export const getQuote =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const sent = c.req.query();
    const scope = new RequestScope(service, clientGone(c));
    try {
      const answer = await scope.run(quote, sent, chainOfPair(service, sent));
      c.header("X-Block-Number", answer.blockNumber);
      c.header("Cache-Control", "no-store");
      return c.json(answer);
    } finally {
      // the answer need not wait for it, and it never fails
      void scope.close();
    }
  };
