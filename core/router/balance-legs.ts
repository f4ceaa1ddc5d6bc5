// How much goes through each of some legs: as much as makes the last unit of all worth the same. Newton's method on the
// legs' marginal values; legs that pass the same pool bend each other's.
import type { DraftLeg } from "./draft-leg.ts";
import type { Flow } from "./flow.ts";
import { newtonMoves } from "./newton-moves.ts";

/**
 * Puts all legs through untouched pools, one after the other. Output, or minus input: more is better. Minus infinity when a
 * pool cannot take its part. The flow is left as the legs leave it.
 */
export function pushLegs(flow: Flow, legs: readonly DraftLeg[]): number {
  flow.clear();
  let sum = 0;
  for (const leg of legs) {
    if (leg.amount === 0) continue;
    let amount = leg.amount;
    for (const edge of leg.edges) {
      amount = flow.push(edge, amount);
      if (amount < 0) return Number.NEGATIVE_INFINITY;
    }
    sum += amount;
  }
  return flow.isForward ? sum : -sum;
}

/** What one unit more through edges adds at the end, as pools are now: below 0 where it is input that is added. */
function marginOf(flow: Flow, edges: readonly number[]): number {
  let product = 1;
  for (const edge of edges) product *= flow.rate[edge] as number;
  return flow.isForward ? product : -1 / product;
}

const MOST_STEPS = 24;
/** Where a step promises less than this part of the value, the legs are balanced. */
const ENOUGH = 1e-9;

/** Moves amounts between legs, their sum kept, and returns the value; the flow is left at it. */
export function balanceLegs(flow: Flow, legs: DraftLeg[]): number {
  let value = pushLegs(flow, legs);
  const isStuck = legs.map(() => false);
  for (let step = 0; step < MOST_STEPS && legs.length > 1 && value > Number.NEGATIVE_INFINITY; step++) {
    const margins = legs.map(({ edges }) => marginOf(flow, edges));
    const move = bestMove(flow, legs, { margins, isStuck });
    if (move === undefined || !(move.gain > ENOUGH * Math.abs(value))) break;
    const moved = tryMove(flow, { legs, move: move.amounts, value });
    if (moved === undefined) {
      pushLegs(flow, legs);
      isStuck[oddest(legs, margins, isStuck)] = true;
    } else {
      value = moved;
    }
  }
  return value;
}

/**
 * The leg whose margin is farthest from the others'. Where no part of a move does good, some leg stands before a gap
 * without liquidity: its price would jump, so it stays where it is and the others go on.
 */
function oddest(legs: readonly DraftLeg[], margins: readonly number[], isStuck: readonly boolean[]): number {
  const level = levelOf(legs, margins);
  const oddity = (i: number) => (isStuck[i] ? -1 : Math.abs((margins[i] as number) - level));
  return legs.reduce((odd, _, i) => (oddity(i) > oddity(odd) ? i : odd), isStuck.indexOf(false));
}

/** The margin that most of the amount has. */
function levelOf(legs: readonly DraftLeg[], margins: readonly number[]): number {
  let [sum, weight] = [0, 0];
  legs.forEach(({ amount }, i) => {
    if (amount === 0 || !Number.isFinite(margins[i])) return;
    sum += amount * (margins[i] as number);
    weight += amount;
  });
  return sum / weight;
}

/** As far along a move as does good; undefined, and legs as they were, when it does none. */
function tryMove(
  flow: Flow,
  { legs, move, value }: { legs: DraftLeg[]; move: readonly number[]; value: number },
): number | undefined {
  const before = legs.map(({ amount }) => amount);
  let most = 1;
  let emptied = -1;
  move.forEach((change, i) => {
    const room = -(before[i] as number) / change;
    if (change < 0 && room < most) [most, emptied] = [room, i];
  });
  for (let part = most, tries = 0; tries < 6; tries++, part *= 0.3) {
    legs.forEach((leg, i) => {
      leg.amount = Math.max(0, (before[i] as number) + part * (move[i] as number));
    });
    if (tries === 0 && emptied >= 0) (legs[emptied] as DraftLeg).amount = 0;
    const moved = pushLegs(flow, legs);
    if (moved > value) return moved;
  }
  legs.forEach((leg, i) => {
    leg.amount = before[i] as number;
  });
  return undefined;
}

/** Newton's step, and what it promises to first order. Empty legs take part only if they would gain. */
function bestMove(
  flow: Flow,
  legs: readonly DraftLeg[],
  { margins, isStuck }: { margins: readonly number[]; isStuck: readonly boolean[] },
): { amounts: number[]; gain: number } | undefined {
  let free = legs
    .map((_, i) => i)
    .filter((i) => !isStuck[i] && Number.isFinite(margins[i]) && isBendFinite(flow, legs[i] as DraftLeg));
  for (let round = 0; round < 4 && free.length > 1; round++) {
    const moves = newtonMoves(flow, { legs, margins, free });
    if (moves === undefined) return undefined;
    const stays = free.filter((leg, i) => (legs[leg] as DraftLeg).amount > 0 || (moves[i] as number) > 0);
    if (stays.length === free.length) {
      const amounts = legs.map(() => 0);
      let gain = 0;
      free.forEach((leg, i) => {
        amounts[leg] = moves[i] as number;
        gain += (moves[i] as number) * (margins[leg] as number);
      });
      return { amounts, gain };
    }
    free = stays;
  }
  return undefined;
}

function isBendFinite(flow: Flow, leg: DraftLeg): boolean {
  return leg.edges.every((edge) => Number.isFinite(flow.bend(edge)));
}
