// What a swap through the aggregator contract is bound to: the one place where an offer's quote becomes limits.
import {
  amountInMaximumRoundingUp,
  minAmountOutRoundingDown,
  refFeeRoundingDown,
} from "../../core/aggregator/limits.ts";
import type { OperationContext } from "../context.ts";
import type { Offer } from "./offers.ts";
import type { QuoteInput } from "./quote-input.ts";
import type { SwapTerms } from "./swap-call.ts";

/** Undefined when there is nothing to send. */
export function termsOf(
  { chain }: Pick<OperationContext, "chain">,
  { input, winner }: { input: QuoteInput; winner: Pick<Offer, "amount" | "answer"> },
): SwapTerms | undefined {
  const { recipient, slippage, type } = input;
  const { transaction } = winner.answer;
  if (!chain.aggregator || !recipient || !slippage || !transaction) return undefined;
  const quote = winner.amount;
  const isFixedInput = type === "exactIn";
  const refFee = refFeeRoundingDown(quote, input.referrerFeeBps);
  return {
    aggregator: chain.aggregator.address,
    tokenIn: input.tokenIn,
    isNativeIn: input.isNativeIn,
    tokenOut: input.tokenOut,
    isNativeOut: input.isNativeOut,
    amountIn: isFixedInput ? input.amount : amountInMaximumRoundingUp({ quote, slippage }),
    minAmountOut: isFixedInput ? minAmountOutRoundingDown({ quote, refFee, slippage }) : input.amount,
    receiver: recipient,
    inner: transaction,
    feeQuote: isFixedInput ? quote : input.amount,
    refCode: input.refCode,
    referrerFeeBps: input.referrerFeeBps,
  };
}
