// Whether a provider answers what it was asked, as far as its answer repeats the question.
import type { Address } from "../parameters.ts";
import type { ProviderRequest } from "./provider.ts";
import { ProviderFailure } from "./provider-failure.ts";

/** As the answer names it; some name no tokens. */
interface AnsweredSwap {
  amountIn: bigint;
  tokenIn?: Address | undefined;
  tokenOut?: Address | undefined;
}

/** @throws ProviderFailure: the amount quoted would be of something else */
export function refuseOtherSwap({ amountIn, tokenIn, tokenOut }: AnsweredSwap, request: ProviderRequest): void {
  if (amountIn !== request.amount) throw new ProviderFailure("error", "quotes another amount than asked");
  const isSame = (named: Address | undefined, wanted: Address) => named === undefined || named === wanted;
  if (!isSame(tokenIn, request.tokenIn) || !isSame(tokenOut, request.tokenOut))
    throw new ProviderFailure("error", "quotes other tokens than asked");
}
