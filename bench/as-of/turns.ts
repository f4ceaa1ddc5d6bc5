// Contenders take turns, so that other work of the machine affects all of them.

export interface Turn<T> {
  /** Round 0 is not measured. */
  round: number;
  contender: T;
}

/** An unmeasured round, then `rounds` rounds, each beginning with another contender. */
export const turns = <T>(contenders: readonly T[], rounds: number): Turn<T>[] =>
  Array.from({ length: rounds + 1 }, (_, round) => {
    const first = round % contenders.length;
    return [...contenders.slice(first), ...contenders.slice(0, first)].map((contender) => ({ round, contender }));
  }).flat();

export const pairs = <A, B>(as: readonly A[], bs: readonly B[]): [A, B][] =>
  as.flatMap((a) => bs.map((b): [A, B] => [a, b]));
