// Amounts added up and put in order.

interface WithAmount {
  amount: bigint;
}

export const totalOf = (many: readonly WithAmount[]): bigint => many.reduce((sum, { amount }) => sum + amount, 0n);

/** Undefined as soon as one is. */
export function sumIfComplete(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    sum += amount;
  }
  return sum;
}

/** Largest first. */
export const byAmount = (a: WithAmount, b: WithAmount): number =>
  a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1;
