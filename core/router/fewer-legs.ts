// A split without one of its legs, where that leg does not earn its gas.
import { pushLegs } from "./balance-legs.ts";
import { gasOfPath, rebalanced, type Split, type Splitter } from "./split.ts";

/** Legs tried. */
const MOST_TRIED = 3;

/** The split without the first of its least useful legs that is worth more without it; undefined when none is. */
export function fewerLegs(splitter: Splitter, split: Split): Split | undefined {
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
