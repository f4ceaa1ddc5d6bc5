// The order of what belongs to nobody: holdings and claims are read in any order, but equal questions must have equal answers.

interface Ranked {
  path: readonly string[];
  contract: string;
  reason: string;
  amount: bigint;
}

/** By path from the shortest on, then by contract, reason and amount. A new array. */
export function unattributedInOrder<One extends Ranked>(all: readonly One[]): One[] {
  return all
    .map((one) => ({ one, key: `${one.path.join(" ")} ${one.contract} ${one.reason}` }))
    .sort(
      (a, b) => a.one.path.length - b.one.path.length || compare(a.key, b.key) || compare(a.one.amount, b.one.amount),
    )
    .map(({ one }) => one);
}

function compare<T extends string | bigint>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
