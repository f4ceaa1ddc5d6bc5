// Fly, formerly Magpie: slippage as a fraction, gas and minimum deep inside; the transaction is fetched by quote id.
import { z } from "zod";
import { toDecimalText } from "../../../../core/aggregator/percent.ts";
import { address, calldata, gasUnits, positiveAmount, sentWei } from "../../answer-fields.ts";
import type { Provider, ProviderAccess, ProviderTransaction } from "../../provider.ts";
import { ProviderFailure, refusedWith } from "../../provider-failure.ts";
import { exchange, readAnswer } from "../../provider-http.ts";

const quoted = z.object({
  id: z.string().min(1).max(200),
  amountOut: positiveAmount,
  targetAddress: address,
  resourceEstimate: z.object({ gasLimit: gasUnits }).optional().catch(undefined),
});

const transaction = z.object({ to: address, value: sentWei, data: calldata });

const refused = z.object({
  message: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
});

async function ask(path: string, query: Record<string, string>, access: ProviderAccess): Promise<unknown> {
  const { isOk, status, body } = await exchange({
    url: `${access.url}/${path}`,
    query,
    headers: { apikey: access.apiKey },
    signal: access.signal,
  });
  if (isOk) return body;
  const parsed = refused.safeParse(body);
  const said = parsed.success ? `${parsed.data.message ?? ""} ${parsed.data.error ?? ""}` : "";
  const isNoRoute = /no (?:route|path|quote|liquidity)|not found|insufficient liquidity/i.test(said);
  throw refusedWith(status, said, isNoRoute ? "no_route" : "error");
}

async function transactionOf(
  { id, targetAddress }: z.output<typeof quoted>,
  access: ProviderAccess,
): Promise<ProviderTransaction> {
  const body = await ask("aggregator/transaction", { quoteId: id, estimateGas: "false" }, access);
  const { to, value, data } = readAnswer(transaction, body);
  if (to !== targetAddress) throw new ProviderFailure("error", "the transaction goes elsewhere than the quote said");
  return { to, value, data };
}

export const fly: Provider = {
  name: "Fly",
  aliases: ["magpie"],
  prefix: "FLY",
  needsKey: false,
  canExactOut: false,
  requestsPerSecond: 5,
  requestsForTransaction: 2,
  publicServices: { 80094: { url: "https://api.fly.trade" } },
  async quote(request, access) {
    const query = {
      network: "berachain",
      fromTokenAddress: request.tokenIn,
      toTokenAddress: request.tokenOut,
      sellAmount: String(request.amount),
      slippage: toDecimalText(request.slippage),
      fromAddress: request.taker,
      toAddress: request.taker,
      gasless: "false",
    };
    const answer = readAnswer(quoted, await ask("aggregator/quote", query, access));
    return {
      amount: answer.amountOut,
      gas: answer.resourceEstimate?.gasLimit ?? 0n,
      transaction: request.wantsTransaction ? await transactionOf(answer, access) : undefined,
      paths: [],
      quoteId: answer.id,
    };
  },
};
