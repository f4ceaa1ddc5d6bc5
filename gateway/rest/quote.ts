// GET /quote: the answer is the operation's.
import type { Context } from "hono";
import { RequestScope, type Service } from "../context.ts";
import { clientGone } from "../http/client-gone.ts";
import { quote } from "../questions/quote.ts";
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
