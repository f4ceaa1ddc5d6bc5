// Puts a leg on another way that only pays once the other legs give way to it. Pools that the split passes are taken to give the rate
// that they have now: in thin markets that rate falls steeply, and an amount on top of all legs gets far less than the same amount
// gets when amounts are balanced again. Other pools give what they give for the whole amount.
import { pushLegs } from "./balance-legs.ts";
import { type DraftLeg, isSamePath } from "./draft-leg.ts";
import { outlookOf } from "./outlook.ts";
import { balanced, FINEST, gasOfPath, type Split, type Splitter } from "./split.ts";

/** The split with one leg on another way; undefined when none is worth more once amounts are balanced. */
export function replacedLeg(splitter: Splitter, split: Split): Split | undefined {
  for (const leg of split.legs) {
    if (splitter.terms.budget.isSpent) return undefined;
    const edges = wayAtPresentRates(splitter, split, leg);
    if (edges === undefined || split.legs.some((each) => isSamePath(each.edges, edges))) continue;
    const legs = split.legs.map((each) => ({ edges: each === leg ? edges : each.edges, amount: each.amount }));
    const found = balanced(splitter, legs);
    if (found !== undefined && found.value > split.value + FINEST * Math.abs(split.value)) return found;
  }
  return undefined;
}

function wayAtPresentRates(
  { terms, flow, finder }: Splitter,
  { legs, value }: Split,
  { edges, amount }: DraftLeg,
): readonly number[] | undefined {
  pushLegs(flow, legs);
  flow.keepsRates = true;
  let made = amount;
  for (const edge of edges) made = flow.convert(edge, made);
  const worth = (flow.isForward ? made : -made) - gasOfPath(terms, edges) * terms.costOfGas;
  const above = worth + FINEST * Math.abs(value);
  const path = finder.find({ amount, above, outlook: outlookOf(terms, flow.rate) });
  flow.keepsRates = false;
  return path?.edges;
}
