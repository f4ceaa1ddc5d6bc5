// What a trial found: figures to print, and every fault in one line. No faults means it passed.
export interface Outcome {
  name: string;
  figures: Record<string, string | number>;
  faults: string[];
  /** Delays beyond their limit: a fault only if the machine has nothing else to do. */
  late?: string[];
}

export function printOutcome({ name, figures, faults, late = [] }: Outcome): void {
  console.log(`\n${name}: ${faults.length === 0 ? "passed" : `${faults.length} FAULTS`}`);
  for (const [figure, value] of Object.entries(figures)) console.log(`  ${figure}: ${value}`);
  for (const fault of faults.slice(0, 20)) console.log(`  FAULT ${fault}`);
  for (const delay of late.slice(0, 20)) console.log(`  LATE ${delay}`);
}

/** Median and largest, for delays in milliseconds. */
export function spreadOf(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)] ?? 0} ms, worst ${sorted.at(-1) ?? 0} ms`;
}

export const randomBetween = (low: number, high: number): number => low + Math.floor(Math.random() * (high - low + 1));
