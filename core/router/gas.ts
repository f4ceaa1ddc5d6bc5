// Gas a route is expected to use: a model, the same for every candidate, so that candidates can be compared.
// The figures are those of Uniswap's published router for v3 and v2 sections.
import { V2 } from "./graph.ts";

export interface GasModel {
  /** Each run of v3 pools in a leg. */
  readonly v3Section: number;
  readonly v3Hop: number;
  /** Each initialised tick that is crossed. */
  readonly v3TickCrossed: number;
  /** A leg of a single v3 pool. */
  readonly v3SingleHop: number;
  /** Each run of v2 pairs in a leg, first pair included. */
  readonly v2Section: number;
  readonly v2ExtraHop: number;
}

export const defaultGasModel: GasModel = {
  v3Section: 2_000,
  v3Hop: 80_000,
  v3TickCrossed: 31_000,
  v3SingleHop: 15_000,
  v2Section: 135_000,
  v2ExtraHop: 50_000,
};

/** Gas that wrapping the native coin before, or unwrapping it after a route takes. */
export const WRAP_GAS = 27_938;
export const UNWRAP_GAS = 36_000;

/** What gas costs: `numerator ÷ denominator` smallest units of the quote's token for one unit of gas. */
export interface GasCharge {
  readonly model?: GasModel;
  /** The quote's token is tokenOut for `exactIn`, tokenIn for `exactOut`. */
  readonly quotePerUnit: { readonly numerator: bigint; readonly denominator: bigint };
  /** Units that every route takes whatever it is, such as {@link WRAP_GAS}; 0 by default. */
  readonly extraUnits?: number;
}

/** Gas of one leg: the pools' kinds in order, and the initialised ticks that are crossed in all of them. */
export function legGasUnits(kinds: readonly ("v2" | "v3")[], ticksCrossed: number, model: GasModel): number {
  let units = model.v3TickCrossed * ticksCrossed;
  if (kinds.length === 1 && kinds[0] === "v3") units += model.v3SingleHop;
  kinds.forEach((kind, i) => {
    const isNewSection = kinds[i - 1] !== kind;
    if (kind === "v3") units += model.v3Hop + (isNewSection ? model.v3Section : 0);
    else units += isNewSection ? model.v2Section : model.v2ExtraHop;
  });
  return units;
}

/** Gas units in the quote's token, rounded up. */
export function gasInQuoteRoundingUp(units: bigint, { quotePerUnit }: GasCharge): bigint {
  const { numerator, denominator } = quotePerUnit;
  return (units * numerator + denominator - 1n) / denominator;
}

/** Without ticks, of one hop more behind one of `lastKind`. Kinds are those of a graph. */
export function gasOfHop(model: GasModel, lastKind: number, kind: number): number {
  const isNew = lastKind !== kind;
  if (kind === V2) return isNew ? model.v2Section : model.v2ExtraHop;
  return model.v3Hop + (isNew ? model.v3Section : 0);
}
