// A leg while the search is at work.

/** A leg in the making: edges in the order of the walk. */
export interface DraftLeg {
  readonly edges: readonly number[];
  amount: number;
}

export function isSamePath(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((edge, i) => edge === other[i]);
}
