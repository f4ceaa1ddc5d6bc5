// How much goes through each of some legs: as much as makes the last unit of all worth the same. Newton's method on the
// legs' marginal values; legs that pass the same pool bend each other's.
import type { Flow } from "./flow.ts";

/** A leg in the making: edges in the order of the walk. */
export interface DraftLeg {
  readonly edges: readonly number[];
  amount: number;
}

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
export function marginOf(flow: Flow, edges: readonly number[]): number {
  let product = 1;
  for (const edge of edges) product *= flow.rate[edge] as number;
  return flow.isForward ? product : -1 / product;
}

const MOST_STEPS = 24;
/** Where a step promises less than this part of the value, the legs are balanced. */
const ENOUGH = 1e-9;
const RIDGE = 1e-4;

/** Moves amounts between legs, their sum kept, and returns the value; the flow is left at it. */
export function balanceLegs(flow: Flow, legs: DraftLeg[]): number {
  let value = pushLegs(flow, legs);
  for (let step = 0; step < MOST_STEPS && legs.length > 1 && value > Number.NEGATIVE_INFINITY; step++) {
    const move = bestMove(flow, legs);
    if (move === undefined || !(move.gain > ENOUGH * Math.abs(value))) break;
    const moved = tryMove(flow, { legs, move: move.amounts, value });
    if (moved === undefined) return pushLegs(flow, legs);
    value = moved;
  }
  return value;
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
function bestMove(flow: Flow, legs: readonly DraftLeg[]): { amounts: number[]; gain: number } | undefined {
  const margins = legs.map(({ edges }) => marginOf(flow, edges));
  let free = legs
    .map((_, i) => i)
    .filter((i) => Number.isFinite(margins[i]) && isBendFinite(flow, legs[i] as DraftLeg));
  for (let round = 0; round < 4 && free.length > 1; round++) {
    const moves = solve(flow, { legs, margins, free });
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

/** H·move = margins − common margin, Σ move = 0, by elimination on the positive definite H. */
function solve(
  flow: Flow,
  { legs, margins, free }: { legs: readonly DraftLeg[]; margins: readonly number[]; free: readonly number[] },
): number[] | undefined {
  const bends = bendMatrix(flow, { legs, margins, free });
  const ones = free.map(() => 1);
  const [towards, level] = solveTwice(
    bends,
    free.map((leg) => margins[leg] as number),
    ones,
  );
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const common = sum(towards) / sum(level);
  const moves = towards.map((value, i) => value - common * (level[i] as number));
  return moves.every((value) => Number.isFinite(value)) ? moves : undefined;
}

/** How much each leg's margin falls with the amount of each other: through the pools that both pass. */
function bendMatrix(
  flow: Flow,
  { legs, margins, free }: { legs: readonly DraftLeg[]; margins: readonly number[]; free: readonly number[] },
): number[][] {
  // what of a leg's amount comes to each of its pools
  const arrives = free.map((leg) => {
    let part = 1;
    return (legs[leg] as DraftLeg).edges.map((edge) => {
      const arriving = part;
      const rate = flow.rate[edge] as number;
      part *= flow.isForward ? rate : 1 / rate;
      return arriving;
    });
  });
  const matrix = free.map(() => free.map(() => 0));
  for (let a = 0; a < free.length; a++) {
    for (let b = a; b < free.length; b++) {
      const worth = Math.sqrt((margins[free[a] as number] as number) * (margins[free[b] as number] as number));
      const bend = sharedBend(flow, [
        { edges: (legs[free[a] as number] as DraftLeg).edges, arrives: arrives[a] as number[] },
        { edges: (legs[free[b] as number] as DraftLeg).edges, arrives: arrives[b] as number[] },
      ]);
      const entry = bend * worth * (a === b ? 1 + RIDGE : 1);
      (matrix[a] as number[])[b] = entry;
      (matrix[b] as number[])[a] = entry;
    }
  }
  return matrix;
}

interface Passage {
  readonly edges: readonly number[];
  readonly arrives: readonly number[];
}

function sharedBend(flow: Flow, [one, other]: readonly [Passage, Passage]): number {
  let bend = 0;
  for (let i = 0; i < one.edges.length; i++) {
    const edge = one.edges[i] as number;
    const j = one === other ? i : other.edges.indexOf(edge);
    // relative to what leaves the pool, a change of what arrives from either leg counts by both parts
    if (j >= 0) bend += flow.bend(edge) * Math.sqrt((one.arrives[i] as number) * (other.arrives[j] as number));
  }
  return bend;
}

/** Gaussian elimination without pivots, for two right-hand sides; the matrix is used up. */
function solveTwice(matrix: number[][], first: number[], second: number[]): [number[], number[]] {
  const size = matrix.length;
  for (let k = 0; k < size; k++) {
    const pivotRow = matrix[k] as number[];
    const pivot = pivotRow[k] as number;
    for (let i = k + 1; i < size; i++) {
      const row = matrix[i] as number[];
      const factor = (row[k] as number) / pivot;
      if (factor === 0) continue;
      for (let j = k; j < size; j++) row[j] = (row[j] as number) - factor * (pivotRow[j] as number);
      first[i] = (first[i] as number) - factor * (first[k] as number);
      second[i] = (second[i] as number) - factor * (second[k] as number);
    }
  }
  for (let k = size - 1; k >= 0; k--) {
    const row = matrix[k] as number[];
    for (let j = k + 1; j < size; j++) {
      first[k] = (first[k] as number) - (row[j] as number) * (first[j] as number);
      second[k] = (second[k] as number) - (row[j] as number) * (second[j] as number);
    }
    first[k] = (first[k] as number) / (row[k] as number);
    second[k] = (second[k] as number) / (row[k] as number);
  }
  return [first, second];
}
