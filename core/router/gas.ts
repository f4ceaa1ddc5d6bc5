// Gas a route is expected to use: a model, the same for every candidate, so that candidates can be compared.
// The figures are those of Uniswap's published router for v3 and v2 sections.
import { V2 } from "./graph.ts";

export const gasModel = {
  /** Each run of v3 pools in a leg. */
  v3Section: 2_000,
  v3Hop: 80_000,
  /** Each initialised tick that is crossed. */
  v3TickCrossed: 31_000,
  /** A leg of a single v3 pool. */
  v3SingleHop: 15_000,
  /** Each run of v2 pairs in a leg, first pair included. */
  v2Section: 135_000,
  v2ExtraHop: 50_000,
} as const;

/** Gas that wrapping the native coin before, or unwrapping it after a route takes. */
export const WRAP_GAS = 27_938;
export const UNWRAP_GAS = 36_000;

/** What gas costs: `numerator ÷ denominator` smallest units of the quote's token for one unit of gas. */
export interface GasCharge {
  /** The quote's token is tokenOut for `exactIn`, tokenIn for `exactOut`. */
  readonly quotePerUnit: { readonly numerator: bigint; readonly denominator: bigint };
  /** Units that every route takes whatever it is, such as {@link WRAP_GAS}; 0 by default. */
  readonly extraUnits?: number;
}

/** Gas of one leg: the pools' kinds in order, and the initialised ticks that are crossed in all of them. */
export function legGasUnits(kinds: readonly ("v2" | "v3")[], ticksCrossed: number): number {
  let units = gasModel.v3TickCrossed * ticksCrossed;
  if (kinds.length === 1 && kinds[0] === "v3") units += gasModel.v3SingleHop;
  kinds.forEach((kind, i) => {
    const isNewSection = kinds[i - 1] !== kind;
    if (kind === "v3") units += gasModel.v3Hop + (isNewSection ? gasModel.v3Section : 0);
    else units += isNewSection ? gasModel.v2Section : gasModel.v2ExtraHop;
  });
  return units;
}

/** Gas units in the quote's token, rounded up. */
export function gasInQuoteRoundingUp(units: bigint, { quotePerUnit }: GasCharge): bigint {
  const { numerator, denominator } = quotePerUnit;
  return (units * numerator + denominator - 1n) / denominator;
}

/** Without ticks, of one hop more behind one of `lastKind`. Kinds are those of a graph. */
export function gasOfHop(lastKind: number, kind: number): number {
  const isNew = lastKind !== kind;
  if (kind === V2) return isNew ? gasModel.v2Section : gasModel.v2ExtraHop;
  return gasModel.v3Hop + (isNew ? gasModel.v3Section : 0);
}
