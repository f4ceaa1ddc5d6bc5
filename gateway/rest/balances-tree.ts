// GET /balances/<token>/merkle: the file that `npm run snapshot -- --merkle` writes, of tokens with not too many holders.
import type { Context } from "hono";
import { chainOf, RequestScope, type Service } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { clientGone } from "../http/node-request.ts";
import { balancesRows } from "../questions/balances-rows.ts";
import { claimsOf } from "../questions/claims.ts";
import { aboutFile } from "./about-file.ts";
import { balancesRequest } from "./balances.ts";
import { setIncomplete } from "./incomplete-header.ts";
import { writeTree } from "./merkle-tree.ts";
import { streamEntries } from "./row-stream.ts";
import { notModified, setValidators, strongValidators } from "./validators.ts";

export const getBalancesTree =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const { input, chainId } = balancesRequest(c);
    if (input.users) throw new InvalidInputError("users", "a tree is over all holders; leave it out");
    const scope = new RequestScope(service, clientGone(c), performance.now() + service.longestRequestMs);
    try {
      const answer = await scope.run(balancesRows, input, chainId);
      const { located, incomplete } = answer;
      const blocks = [{ choice: input.block, block: located.point.block }];
      const validators = strongValidators({ located, blocks, question: ["merkle"] });
      const unmodified = notModified(c, validators);
      if (unmodified) {
        await answer.batches.return?.();
        return unmodified;
      }
      const { pieces } = writeTree(await claimsOf(answer), aboutFile(chainOf(service, chainId), located));
      setValidators(c, validators);
      if (located.token.flags.length > 0) c.header("X-Token-Flags", located.token.flags.join(","));
      setIncomplete(c, incomplete);
      const type = { "content-type": "application/json" };
      if (c.req.method === "HEAD") return c.body(null, 200, type);
      const framed = { opening: "", closing: "", separator: "", release: async () => {} };
      const stream = await streamEntries({ ...framed, batches: inEntries(pieces) });
      return c.body(stream, 200, { ...type, "transfer-encoding": "chunked" });
    } finally {
      // the rows are all read, or nobody wants them
      await scope.close();
    }
  };

async function* inEntries(pieces: AsyncGenerator<string, undefined>): AsyncGenerator<string[], undefined> {
  for await (const piece of pieces) yield [piece];
  return undefined;
}
