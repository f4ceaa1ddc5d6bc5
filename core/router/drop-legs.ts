// Legs that do not earn their gas are given up, the least useful first.
import { pushLegs } from "./balance-legs.ts";
import type { DraftLeg } from "./draft-leg.ts";
import type { Flow } from "./flow.ts";
import { legGasUnits } from "./gas.ts";
import type { SearchTerms } from "./search-terms.ts";
import { rebalanced } from "./split-amount.ts";

/** How often in a row giving up a leg may do harm before it is left at that. */
const PATIENCE = 2;

/** The legs, or fewer of them, with the greatest value less gas. */
export function dropLegs(terms: SearchTerms, flow: Flow, legs: readonly DraftLeg[]): readonly DraftLeg[] {
  if (terms.costOfGas === 0) return legs;
  let best = legs;
  let bestValue = valueLessGas(terms, flow, legs);
  let current = legs;
  let harm = 0;
  while (current.length > 1 && harm < PATIENCE) {
    const fewer = rebalanced(flow, withoutLeastUseful(terms, flow, current), terms.amount);
    if (fewer === undefined || fewer.length === 0) break;
    const value = valueLessGas(terms, flow, fewer);
    if (value > bestValue) {
      [best, bestValue, harm] = [fewer, value, 0];
    } else {
      harm += 1;
    }
    current = fewer;
  }
  return best;
}

function valueLessGas(terms: SearchTerms, flow: Flow, legs: readonly DraftLeg[]): number {
  const gas = legs.reduce((sum, leg) => sum + gasOfLeg(terms, leg), 0);
  return pushLegs(flow, legs) - gas * terms.costOfGas;
}

/** Gas without ticks: those are crossed by whichever leg comes first. */
function gasOfLeg({ graph, gasModel }: SearchTerms, leg: DraftLeg): number {
  const kinds = leg.edges.map((edge) => graph.pools[edge >> 1]?.kind ?? "v3");
  return legGasUnits(kinds, 0, gasModel);
}

/**
 * What giving a leg up costs is, to second order, half of what its amount bends its own margin by; the leg with the
 * smallest rest after gas goes.
 */
function withoutLeastUseful(terms: SearchTerms, flow: Flow, legs: readonly DraftLeg[]): DraftLeg[] {
  pushLegs(flow, legs);
  let least = 0;
  let leastWorth = Number.POSITIVE_INFINITY;
  legs.forEach((leg, i) => {
    let part = 1;
    let bend = 0;
    for (const edge of leg.edges) {
      const rate = flow.rate[edge] as number;
      bend += flow.bend(edge) * part;
      part *= flow.isForward ? rate : 1 / rate;
    }
    const worth = (part * bend * leg.amount * leg.amount) / 2 - gasOfLeg(terms, leg) * terms.costOfGas;
    if (worth < leastWorth) [least, leastWorth] = [i, worth];
  });
  return legs.filter((_, i) => i !== least);
}
