/** Where a fact stands on the chain. */
export interface FactPlace {
  block: number;
  logIndex: number;
  txIndex: number;
}
