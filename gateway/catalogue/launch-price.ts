// What a launched token costs in its base token: on the curve by its last Sync, after graduation by its pair's.
import { curvePrice } from "../../core/launch/curve.ts";
import { type LaunchCurve, type LaunchWorld, pairOf } from "../../core/launch/replay.ts";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { type Reserves, reservesAt } from "../protocols/v2/pairs-at.ts";

/** The pair that a curve has graduated into; undefined before. */
export const dexPairOf = (world: LaunchWorld, curve: LaunchCurve): Address | undefined =>
  curve.graduated && (pairOf(world, curve) as Address | undefined);

/**
 * Raw base units per raw token unit, by pool: the curve's own price, and once graduated one reserve of the pair per the
 * other. Curves whose pair is empty are missing.
 */
export async function launchPrices(
  context: OperationContext,
  point: BlockPoint,
  { world, curves }: { world: LaunchWorld; curves: readonly LaunchCurve[] },
): Promise<ReadonlyMap<string, Fraction>> {
  const reserves = curves.some(({ graduated }) => graduated) ? await reservesAt(context, point) : new Map();
  return new Map(
    curves.flatMap((curve) => {
      const pair = dexPairOf(world, curve);
      const price = curve.graduated ? pairPrice(curve, pair && reserves.get(pair)) : curvePrice(curve.sqrtPrice);
      return price ? [[curve.pool, price] as const] : [];
    }),
  );
}

function pairPrice({ token, baseToken }: LaunchCurve, reserves: Reserves | undefined): Fraction | undefined {
  if (!reserves || reserves.reserve0 === 0n || reserves.reserve1 === 0n) return undefined;
  const { reserve0, reserve1 } = reserves;
  return token < baseToken
    ? { numerator: reserve1, denominator: reserve0 }
    : { numerator: reserve0, denominator: reserve1 };
}

/** Whole base tokens per whole token × 10^digits, rounded down. */
export function wholePriceRoundedDown(
  { numerator, denominator }: Fraction,
  decimals: { token: number; base: number },
  digits: number,
): bigint {
  const up = 10n ** BigInt(digits + decimals.token);
  return (numerator * up) / (denominator * 10n ** BigInt(decimals.base));
}
