// Newton's step for legs that may pass the same pools: how much to move to or from each so that their margins meet.
import type { DraftLeg } from "./draft-leg.ts";
import type { Flow } from "./flow.ts";

/** Added to the diagonal: of several ways through the same pools, amounts are otherwise not determined. */
const RIDGE = 1e-6;

/** H·move = margins − common margin, Σ move = 0, by elimination on the positive definite H. */
export function newtonMoves(
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
