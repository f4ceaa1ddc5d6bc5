// The one gas model that all results are compared by: 5 gwei, the world's own prices, the router's constants.
import { type GasCharge, legGasUnits } from "../../core/router/gas.ts";
import type { Step } from "../../core/router/pool.ts";
import { quoteLegs } from "../../core/router/quote-path.ts";
import type { World, WorldToken } from "./world.ts";

export const GAS_PRICE_WEI = 5_000_000_000n;
const SCALE = 10n ** 15n;

/** Smallest units of a token for a unit of gas. */
export function gasPriceIn({ tokens }: World, token: WorldToken): number {
  const ether = tokens[0]?.price ?? 0;
  return ((Number(GAS_PRICE_WEI) / 1e18) * ether * 10 ** token.decimals) / token.price;
}

export function gasCharge(world: World, token: WorldToken): GasCharge {
  return {
    quotePerUnit: { numerator: BigInt(Math.round(gasPriceIn(world, token) * Number(SCALE))), denominator: SCALE },
  };
}

/** Output of legs, and output less gas, always calculated exactly by our kernel, whichever router found the legs. */
export function outcomeOf(
  legs: readonly { path: readonly Step[]; amount: bigint }[],
  gasPrice: number,
): { gross: number; net: number } | undefined {
  const quotes = quoteLegs(legs, "exactIn");
  if (quotes === undefined) return undefined;
  const gross = Number(quotes.reduce((sum, { amountOut }) => sum + amountOut, 0n));
  const units = quotes.reduce((sum, { hops }) => {
    const ticks = hops.reduce((count, hop) => count + hop.ticksCrossed, 0);
    return (
      sum +
      legGasUnits(
        hops.map(({ pool }) => pool.kind),
        ticks,
      )
    );
  }, 0);
  return { gross, net: gross - units * gasPrice };
}
