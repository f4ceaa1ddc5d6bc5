// A request's amount over several legs, and what that is worth.
import { balanceLegs } from "./balance-legs.ts";
import type { DraftLeg } from "./draft-leg.ts";
import type { PathFinder } from "./find-path.ts";
import type { Flow } from "./flow.ts";
import { gasModel, legGasUnits } from "./gas.ts";
import type { SearchTerms } from "./search-terms.ts";

export interface Splitter {
  readonly terms: SearchTerms;
  readonly flow: Flow;
  readonly finder: PathFinder;
}

/** Legs in the order in which they would be executed. */
export interface Split {
  readonly legs: readonly DraftLeg[];
  /** Output, or minus input. */
  readonly gross: number;
  /** Less gas. */
  readonly value: number;
}

/** A split is better when it is worth this part more. */
export const FINEST = 1e-7;

/** Amounts evened out; undefined when the legs cannot take them. Legs that end empty are left out. */
export function balanced(splitter: Splitter, legs: DraftLeg[]): Split | undefined {
  const gross = balanceLegs(splitter.flow, legs);
  if (gross === Number.NEGATIVE_INFINITY) return undefined;
  return splitOf(
    splitter,
    legs.filter(({ amount }) => amount > 0),
    gross,
  );
}

/** The same legs but scaled to the whole amount first. */
export function rebalanced(splitter: Splitter, legs: readonly DraftLeg[]): Split | undefined {
  const sum = legs.reduce((total, leg) => total + leg.amount, 0);
  if (!(sum > 0)) return undefined;
  const { amount } = splitter.terms;
  const scaled = legs.map((leg) => ({ edges: leg.edges, amount: (leg.amount * amount) / sum }));
  return balanced(splitter, scaled);
}

/** Legs that the flow has just taken. Ticks are crossed once, whichever leg comes first. */
export function splitOf({ terms, flow }: Splitter, legs: readonly DraftLeg[], gross: number): Split {
  const ofPaths = legs.reduce((sum, leg) => sum + gasOfPath(terms, leg.edges), 0);
  const units = ofPaths + flow.ticksCrossed() * gasModel.v3TickCrossed;
  return { legs, gross, value: gross - units * terms.costOfGas };
}

/** Units of gas without ticks. */
export function gasOfPath({ graph }: SearchTerms, edges: readonly number[]): number {
  const kinds = edges.map((edge) => graph.pools[edge >> 1]?.kind ?? "v3");
  return legGasUnits(kinds, 0);
}
