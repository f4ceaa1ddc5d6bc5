// Legs are added, replaced and given up, one at a time and amounts balanced after each, as long as what is left after gas grows.
// Without gas the problem is concave (Angeris, Chitra, Evans, Boyd, "Optimal Routing for Constant Function Market Makers", 2021)
// and this is column generation; gas makes it a choice of few legs, and this a local search.
import { anotherLeg } from "./another-leg.ts";
import { pushLegs } from "./balance-legs.ts";
import { type DraftLeg, isSamePath } from "./draft-leg.ts";
import { exchangeAll } from "./exchange-legs.ts";
import { gasModel } from "./gas.ts";
import { outlookOf } from "./outlook.ts";
import { balanced, FINEST, gasOfPath, rebalanced, type Split, type Splitter, splitOf } from "./split.ts";

/** Legs below this part of the amount are given up. */
const LEAST_SHARE = 1e-3;

/** Without legs below the least share a split should be worth all but this part; else they promised what they cannot give. */
const WORTH_OF_CRUMBS = 1e-5;

/** The best split that small changes lead to, as far as the budget goes. */
export function improveSplit(splitter: Splitter, first: Split): Split {
  for (let split = first; ; ) {
    const improved = changed(splitter, split);
    const whole = withoutCrumbs(splitter, improved);
    if (splitter.terms.budget.isSpent || improved.value - whole.value < WORTH_OF_CRUMBS * Math.abs(whole.value))
      return largestFirst(splitter, whole);
    closeDust(splitter, improved);
    split = whole;
  }
}

/** As good as single changes make it. */
function changed(splitter: Splitter, first: Split): Split {
  let split = first;
  let turn = 0;
  while (!splitter.terms.budget.isSpent) {
    const another = anotherLeg(splitter, split, turn);
    const better =
      another?.split ?? fewerLegs(splitter, split) ?? replacedLeg(splitter, split) ?? polished(splitter, split);
    if (better === undefined) break;
    split = better;
    turn = another?.turn ?? 0;
  }
  return split;
}

/** Closes, on the way of each leg below the least share, the pool whose price it moves most: where that is dust, its price was absurd. */
function closeDust({ terms, flow }: Splitter, { legs }: Split): void {
  pushLegs(flow, legs);
  const moved = (edge: number) => (flow.rate[edge] as number) / (terms.graph.rate[edge] as number);
  const crumbs = legs.filter(({ amount }) => amount < LEAST_SHARE * terms.amount);
  const dust = crumbs.map(({ edges }) => edges.reduce((most, edge) => (moved(edge) < moved(most) ? edge : most)));
  for (const edge of dust) flow.close(edge);
}

/** The same legs, amounts moved between every two of them; undefined when that does no good. */
function polished(splitter: Splitter, split: Split): Split | undefined {
  const { terms, flow } = splitter;
  const legs = split.legs.map((leg) => ({ ...leg }));
  exchangeAll(flow, legs, terms.costOfGas * gasModel.v3TickCrossed);
  const moved = splitOf(splitter, legs, pushLegs(flow, legs));
  return moved.value > split.value + FINEST * Math.abs(split.value) ? moved : undefined;
}

function withoutCrumbs(splitter: Splitter, split: Split): Split {
  const least = LEAST_SHARE * splitter.terms.amount;
  const remaining = split.legs.filter(({ amount }) => amount >= least);
  if (remaining.length === split.legs.length) return split;
  return rebalanced(splitter, remaining) ?? split;
}

/** Where that makes no difference: behind a pool that is nearly empty, the order decides how much comes through for whom. */
function largestFirst({ flow }: Splitter, split: Split): Split {
  const sorted = [...split.legs].sort((one, other) => other.amount - one.amount);
  return pushLegs(flow, sorted) >= split.gross - 1e-9 * Math.abs(split.gross) ? { ...split, legs: sorted } : split;
}

/** Legs tried by {@link fewerLegs}. */
const MOST_TRIED = 3;

/** The split without the first of its least useful legs that is worth more without it; undefined when none is. */
function fewerLegs(splitter: Splitter, split: Split): Split | undefined {
  const { terms } = splitter;
  if (terms.costOfGas === 0 || split.legs.length < 2) return undefined;
  const worths = legWorths(splitter, split);
  const order = worths.map((_, i) => i).sort((a, b) => (worths[a] as number) - (worths[b] as number));
  for (const least of order.slice(0, MOST_TRIED)) {
    const fewer = rebalanced(
      splitter,
      split.legs.filter((_, i) => i !== least),
    );
    if (fewer !== undefined && fewer.value > split.value) return fewer;
  }
  return undefined;
}

/** What giving a leg up costs: to second order, half of what its amount bends its own margin by; less its gas. */
function legWorths({ terms, flow }: Splitter, { legs }: Split): number[] {
  pushLegs(flow, legs);
  return legs.map(({ edges, amount }) => {
    let part = 1;
    let bend = 0;
    for (const edge of edges) {
      const rate = flow.rate[edge] as number;
      bend += flow.bend(edge) * part;
      part *= flow.isForward ? rate : 1 / rate;
    }
    return (part * bend * amount * amount) / 2 - gasOfPath(terms, edges) * terms.costOfGas;
  });
}

/**
 * The split with one leg on another way that only pays once the other legs give way to it; undefined when none is worth more once
 * amounts are balanced. Pools that the split passes are taken to give the rate that they have now: in thin markets that rate falls
 * steeply, and an amount on top of all legs gets far less than the same amount gets when amounts are balanced again. Other pools give
 * what they give for the whole amount.
 */
function replacedLeg(splitter: Splitter, split: Split): Split | undefined {
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
