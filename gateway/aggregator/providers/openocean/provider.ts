// OpenOcean, version 4: slippage in percent from 0.05 to 50, errors inside HTTP 200, gas as a number or as text.
import { toDecimalText } from "../../../../core/aggregator/percent.ts";
import type { Fraction } from "../../../../core/lookthrough/fraction.ts";
import type { Provider, ProviderAccess, ProviderAnswer, ProviderRequest } from "../../provider.ts";
import { ProviderFailure } from "../../provider-failure.ts";
import { exchange, readAnswer } from "../../provider-http.ts";
import { pathsOf, type Quoted, quoted, refusal, reversed, type Swap, swap } from "./answers.ts";

export const openOcean: Provider = {
  name: "OpenOcean",
  aliases: [],
  prefix: "OPENOCEAN",
  needsKey: false,
  canExactOut: true,
  requestsPerSecond: 2,
  requestsForTransaction: 1,
  publicServices: { 80094: { url: "https://open-api.openocean.finance/v4/bera" } },
  quote: (request, access) => (request.type === "exactIn" ? quoteExactIn : quoteExactOut)(request, access),
};

/** The smallest slippage that it accepts is above 0: the limit that counts is the aggregator contract's. */
const LEAST_SLIPPAGE: Fraction = { numerator: 5n, denominator: 10_000n };

function slippagePercent(slippage: Fraction): string {
  const isTooLow = slippage.numerator * LEAST_SLIPPAGE.denominator < LEAST_SLIPPAGE.numerator * slippage.denominator;
  const { numerator, denominator } = isTooLow ? LEAST_SLIPPAGE : slippage;
  return toDecimalText({ numerator: numerator * 100n, denominator });
}

async function ask(path: string, query: Record<string, string>, access: ProviderAccess): Promise<unknown> {
  const { isOk, body } = await exchange({
    url: `${access.url}/${path}`,
    query,
    headers: { apikey: access.apiKey },
    signal: access.signal,
  });
  const refused = refusal(body);
  if (refused) throw refused;
  if (!isOk) throw new ProviderFailure("error", "refused the request");
  return body;
}

async function quoteExactIn(request: ProviderRequest, access: ProviderAccess): Promise<ProviderAnswer> {
  const query = {
    inTokenAddress: request.tokenIn,
    outTokenAddress: request.tokenOut,
    amountDecimals: String(request.amount),
    gasPriceDecimals: String(request.gasPriceWei),
    slippage: slippagePercent(request.slippage),
  };
  if (!request.wantsTransaction) {
    const { data } = readAnswer(quoted, await ask("quote", query, access));
    return answerOf(data, request);
  }
  const { data } = readAnswer(swap, await ask("swap", { ...query, account: request.taker }, access));
  return answerOf(data, request);
}

/** @throws ProviderFailure when it would swap another amount than asked */
function answerOf(data: Quoted | Swap, request: ProviderRequest): ProviderAnswer {
  if (data.inAmount !== request.amount) throw new ProviderFailure("error", "quotes another amount than asked");
  return {
    amount: data.outAmount,
    gas: data.estimatedGas,
    transaction: "data" in data ? { to: data.to, data: data.data, value: data.value } : undefined,
    paths: pathsOf(data, request),
    quoteId: undefined,
  };
}

/** Its "in" is the token wanted, its "out" the token paid with. It gives no transaction for this. */
async function quoteExactOut(request: ProviderRequest, access: ProviderAccess): Promise<ProviderAnswer> {
  const query = {
    inTokenAddress: request.tokenOut,
    outTokenAddress: request.tokenIn,
    amountDecimals: String(request.amount),
    gasPriceDecimals: String(request.gasPriceWei),
    slippage: slippagePercent(request.slippage),
  };
  const { data } = readAnswer(reversed, await ask("reverseQuote", query, access));
  return {
    amount: data.reverseAmount,
    gas: data.estimatedGas,
    transaction: undefined,
    paths: [],
    quoteId: undefined,
  };
}
