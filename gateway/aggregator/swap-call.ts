// The call of the aggregator contract: what it is bound to, the one place where an offer's quote becomes limits; and its four tuples,
// as calldata and as the answer shows them.
import { type Hex, numberToHex } from "viem";
import {
  amountInMaximumRoundingUp,
  minAmountOutRoundingDown,
  refFeeRoundingDown,
} from "../../core/aggregator/limits.ts";
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import { callEncoder } from "../router/encode-call.ts";
import { aggregatorAbi } from "./aggregator-abi.ts";
import type { Offer } from "./offers.ts";
import type { ProviderTransaction } from "./provider.ts";
import type { QuoteInput } from "./quote-input.ts";

const encodeCall = callEncoder(aggregatorAbi);

export interface SwapTerms {
  /** The chain's aggregator contract. */
  aggregator: Address;
  tokenIn: Address;
  /** The native token is sent along and wrapped into `tokenIn`. */
  isNativeIn: boolean;
  amountIn: bigint;
  tokenOut: Address;
  /** The receiver gets the native token for the `tokenOut` that comes out. */
  isNativeOut: boolean;
  minAmountOut: bigint;
  receiver: Address;
  /** The provider's own call, made by the aggregator contract. */
  inner: Pick<ProviderTransaction, "to" | "data">;
  /** The output expected, before the referral fee: what the fee is a share of. */
  feeQuote: bigint;
  refCode: number;
  referrerFeeBps: number;
}

/** Amounts and numbers as text, as answers carry them. */
type DecodedArgs = [
  { token: Address; wrap: boolean; amount: string },
  { token: Address; unwrap: boolean; minAmountOut: string; receiver: Address },
  { router: Address; data: Hex },
  { feeQuote: string; surplusFeeBps: string; refCode: string; referrerFeeBps: string },
];

export interface MethodParameters {
  calldata: Hex;
  /** A hex quantity. */
  value: Hex;
  to: Address;
  decodedArgs: DecodedArgs | [];
}

/** Nothing is retained of what comes out beyond the quote. */
const NO_SURPLUS_FEE = 0;

export function swapCall(terms: SwapTerms): MethodParameters {
  const { inner, refCode, referrerFeeBps } = terms;
  const input = { token: terms.tokenIn, wrap: terms.isNativeIn, amount: terms.amountIn };
  const output = {
    token: terms.tokenOut,
    unwrap: terms.isNativeOut,
    minAmountOut: terms.minAmountOut,
    receiver: terms.receiver,
  };
  const swapData = { router: inner.to, data: inner.data };
  const fee = { feeQuote: terms.feeQuote, surplusFeeBps: NO_SURPLUS_FEE, refCode, referrerFeeBps };
  return {
    calldata: encodeCall("swap", [input, output, swapData, fee]),
    value: numberToHex(terms.isNativeIn ? terms.amountIn : 0n),
    to: terms.aggregator,
    decodedArgs: [
      { ...input, amount: String(input.amount) },
      { ...output, minAmountOut: String(output.minAmountOut) },
      swapData,
      {
        feeQuote: String(fee.feeQuote),
        surplusFeeBps: String(fee.surplusFeeBps),
        refCode: String(refCode),
        referrerFeeBps: String(referrerFeeBps),
      },
    ],
  };
}

/** Amounts in raw units, limits rounded in the receiver's favour. Undefined when there is nothing to send. */
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
