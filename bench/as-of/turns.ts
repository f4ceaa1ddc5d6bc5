// Contenders take turns, so that what else the machine does falls on all of them.

export interface Turn<T> {
  /** 0 is the unmeasured one. */
  round: number;
  contender: T;
}

/** An unmeasured round, then `rounds` that begin with another contender each. */
export const turns = <T>(contenders: readonly T[], rounds: number): Turn<T>[] =>
  Array.from({ length: rounds + 1 }, (_, round) => {
    const first = round % contenders.length;
    return [...contenders.slice(first), ...contenders.slice(0, first)].map((contender) => ({ round, contender }));
  }).flat();

export const pairs = <A, B>(as: readonly A[], bs: readonly B[]): [A, B][] =>
  as.flatMap((a) => bs.map((b): [A, B] => [a, b]));
