// The own router among the providers: asked already, answers with a transaction that pays the aggregator contract.
import type { ChainFile } from "../../chains/chain-file.ts";
import { amountInMaximumRoundingUp, minAmountOutRoundingDown } from "../../core/aggregator/limits.ts";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import { whyNoRoute } from "../router/no-route.ts";
import type { OwnQuote } from "../router/own-quote.ts";
import type { Outcome } from "./ask-provider.ts";
import type { Market } from "./market.ts";
import type { ProviderAnswer, ProviderRequest, ProviderTransaction } from "./provider.ts";
import type { QuoteInput } from "./quote-input.ts";

/** Where no transaction is wanted, providers still need the address of somebody who swaps. */
const ANYBODY = "0x000000000000000000000000000000000000dead";
const USUAL_SLIPPAGE: Fraction = { numerator: 1n, denominator: 100n };

/**
 * What the providers are asked. The aggregator contract is taker and receiver, with wrapped tokens alone. For a fixed
 * output it would have to give unspent input back.
 */
export function providerRequest(
  chain: ChainFile,
  { input, market }: { input: QuoteInput; market: Market },
): ProviderRequest {
  const { aggregator } = chain;
  const canSwap = aggregator !== null && (input.type === "exactIn" || aggregator.canRefund);
  return {
    chainId: chain.chainId,
    type: input.type,
    amount: input.amount,
    tokenIn: input.tokenIn,
    tokenOut: input.tokenOut,
    gasPriceWei: market.place.gasPriceWei,
    slippage: input.slippage ?? USUAL_SLIPPAGE,
    deadlineSeconds: input.deadlineSeconds,
    taker: aggregator?.address ?? input.recipient ?? ANYBODY,
    wantsTransaction: canSwap && input.recipient !== undefined && input.slippage !== undefined,
  };
}

export function ownOutcome(chain: ChainFile, { input, market }: { input: QuoteInput; market: Market }): Outcome {
  const { own, ownMilliseconds: milliseconds, wrappingGas, place } = market;
  const name = chain.ownRouterName;
  if (!own) {
    const reason = whyNoRoute(place.state, [input.tokenIn, input.tokenOut]);
    return { name, status: "no_route", milliseconds, message: reason ?? "no path takes the whole amount", reason };
  }
  const request = providerRequest(chain, { input, market });
  const expecting = (quote: bigint): ProviderAnswer => {
    let made: { transaction: ProviderTransaction | undefined } | undefined;
    return {
      amount: quote,
      gas: own.route.gasUnits - BigInt(wrappingGas),
      paths: [],
      quoteId: undefined,
      expecting,
      // worked out only when needed: most often another offer is better
      get transaction() {
        made ??= { transaction: request.wantsTransaction ? ownTransaction(own, request, quote) : undefined };
        return made.transaction;
      },
    };
  };
  return { name, status: "success", milliseconds, answer: expecting(own.route.quote) };
}

function ownTransaction(own: OwnQuote, request: ProviderRequest, quote: bigint): ProviderTransaction | undefined {
  const { type, slippage, taker, deadlineSeconds } = request;
  const limit =
    type === "exactIn"
      ? minAmountOutRoundingDown({ quote, refFee: 0n, slippage })
      : amountInMaximumRoundingUp({ quote, slippage });
  const deadline = BigInt(own.latestTimestamp + deadlineSeconds);
  const made = own.transaction({ recipient: taker, limit, deadline });
  return made && { to: made.to, data: made.calldata, value: BigInt(made.value) };
}
