// Enso: slippage in basis points, amounts alone or in lists, an account needed even where nothing is to be sent.
import { z } from "zod";
import { toBpsRoundingUp } from "../../../../core/aggregator/percent.ts";
import { address, calldata, gasUnits, positiveAmount, sentWei } from "../../answer-fields.ts";
import type { Provider, ProviderAccess, ProviderRequest } from "../../provider.ts";
import { refusedWith } from "../../provider-failure.ts";
import { exchange, readAnswer } from "../../provider-http.ts";

/** One amount, however it is wrapped. */
const single = z.preprocess((value) => (Array.isArray(value) && value.length === 1 ? value[0] : value), positiveAmount);

const routed = z.object({
  amountOut: single,
  gas: gasUnits,
  tx: z.object({ to: address, data: calldata, value: sentWei }),
});

const refused = z.object({ message: z.union([z.string(), z.array(z.string())]).optional() });

async function ask(request: ProviderRequest, access: ProviderAccess): Promise<unknown> {
  const { isOk, status, body } = await exchange({
    url: `${access.url}/shortcuts/route`,
    query: {
      chainId: String(request.chainId),
      fromAddress: request.taker,
      receiver: request.taker,
      spender: request.taker,
      tokenIn: request.tokenIn,
      tokenOut: request.tokenOut,
      amountIn: String(request.amount),
      slippage: String(toBpsRoundingUp(request.slippage)),
      routingStrategy: "router",
    },
    headers: { authorization: access.apiKey === undefined ? undefined : `Bearer ${access.apiKey}` },
    signal: access.signal,
  });
  if (isOk) return body;
  const said = String(refused.safeParse(body).data?.message ?? "");
  const isNoRoute = /no route|could not (?:find|build|quote)|not found|insufficient liquidity/i.test(said);
  throw refusedWith(status, said, isNoRoute ? "no_route" : "error");
}

export const enso: Provider = {
  name: "Enso",
  aliases: [],
  prefix: "ENSO",
  needsKey: true,
  canExactOut: false,
  requestsPerSecond: 10,
  requestsForTransaction: 1,
  publicServices: { 80094: { url: "https://api.enso.build/api/v1" } },
  async quote(request, access) {
    const { amountOut, gas, tx } = readAnswer(routed, await ask(request, access));
    return {
      amount: amountOut,
      gas,
      transaction: request.wantsTransaction ? { to: tx.to, data: tx.data, value: tx.value } : undefined,
      paths: [],
      quoteId: undefined,
    };
  },
};
