// Ooga Booga: slippage as a fraction, "no way" and partial fills inside HTTP 200, route tokens as indexes into a list.
import { toDecimalText } from "../../../../core/aggregator/percent.ts";
import type { Provider, ProviderAccess, ProviderRequest } from "../../provider.ts";
import { ProviderFailure, refusedWith } from "../../provider-failure.ts";
import { exchange, readAnswer } from "../../provider-http.ts";
import { pathsOf, refused, swapped } from "./answers.ts";

async function ask(request: ProviderRequest, access: ProviderAccess): Promise<unknown> {
  const { isOk, status, body } = await exchange({
    url: `${access.url}/v1/swap`,
    query: {
      tokenIn: request.tokenIn,
      tokenOut: request.tokenOut,
      amount: String(request.amount),
      slippage: toDecimalText(request.slippage),
      to: request.wantsTransaction ? request.taker : undefined,
    },
    headers: { authorization: access.apiKey === undefined ? undefined : `Bearer ${access.apiKey}` },
    signal: access.signal,
  });
  if (isOk) return body;
  const said = refused.safeParse(body).data;
  throw refusedWith(status, said?.message ?? said?.summary ?? "");
}

export const oogaBooga: Provider = {
  name: "OogaBooga",
  aliases: ["ooga-booga"],
  prefix: "OOGABOOGA",
  needsKey: true,
  canExactOut: false,
  requestsPerSecond: 25,
  requestsForTransaction: 1,
  publicServices: { 80094: { url: "https://mainnet.api.oogabooga.io" } },
  async quote(request, access) {
    const answer = readAnswer(swapped, await ask(request, access));
    if (answer.status === "NoWay") throw new ProviderFailure("no_route", "status NoWay");
    if (answer.status !== "Success" || answer.amountIn !== request.amount)
      throw new ProviderFailure("no_route", `status ${answer.status}: only a part can be swapped`);
    const { tx } = answer;
    if (request.wantsTransaction && !tx) throw new ProviderFailure("error", "gave no transaction");
    if (tx && answer.routerAddr !== tx.to)
      throw new ProviderFailure("error", "the transaction goes elsewhere than its router");
    return {
      amount: answer.assumedAmountOut,
      gas: answer.gas,
      transaction: tx && { to: tx.to, data: tx.data, value: tx.value },
      paths: pathsOf(answer, request),
      quoteId: undefined,
    };
  },
};
