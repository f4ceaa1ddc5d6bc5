// A leg while the search is at work.

/** A leg in the making: edges in the order of the walk. */
export interface DraftLeg {
  readonly edges: readonly number[];
  amount: number;
}
