// Swaps in a v2 pair, exact to the wei.
// v2-periphery UniswapV2Library.sol `getAmountOut`, `getAmountIn`; v2-core UniswapV2Pair.sol `swap`
import { FEE_DENOMINATOR } from "../math/swap-math.ts";

export interface Reserves {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** In hundredths of a basis point. */
  readonly fee: number;
}

/** A pair keeps its reserves in 112 bits and refuses more. */
export const MAX_RESERVE = (1n << 112n) - 1n;

/** Output for an exact input, rounded down; undefined when the pair would refuse the swap. */
export function amountOutRoundingDown({ reserveIn, reserveOut, fee }: Reserves, amountIn: bigint): bigint | undefined {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n || reserveIn + amountIn > MAX_RESERVE) return undefined;
  const lessFee = amountIn * (FEE_DENOMINATOR - BigInt(fee));
  const amountOut = (lessFee * reserveOut) / (reserveIn * FEE_DENOMINATOR + lessFee);
  return amountOut === 0n ? undefined : amountOut;
}

/** Input for an exact output, as the library rounds it: down, and one more; undefined when the pair would refuse. */
export function amountInRoundingUp({ reserveIn, reserveOut, fee }: Reserves, amountOut: bigint): bigint | undefined {
  if (amountOut <= 0n || reserveIn <= 0n || amountOut >= reserveOut) return undefined;
  const lessFee = (reserveOut - amountOut) * (FEE_DENOMINATOR - BigInt(fee));
  const amountIn = (reserveIn * amountOut * FEE_DENOMINATOR) / lessFee + 1n;
  return reserveIn + amountIn > MAX_RESERVE ? undefined : amountIn;
}
