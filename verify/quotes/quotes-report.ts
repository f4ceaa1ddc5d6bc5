// What was compared, how often, and what differed.

const MOST_NOTED = 20;

export class QuotesReport {
  readonly counts = new Map<string, number>();
  /** Quotes that could not be carried out, and why. */
  readonly passedOver = new Map<string, number>();
  readonly differences: string[] = [];
  differing = 0;

  compare(what: string, isSame: boolean, detail: () => string): void {
    add(this.counts, what);
    if (isSame) return;
    this.differing += 1;
    if (this.differences.length < MOST_NOTED) this.differences.push(`${what}: ${detail()}`);
  }

  passOver(why: string): void {
    add(this.passedOver, why);
  }

  get compared(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** How many comparisons begin with `what`. */
  countOf(what: string): number {
    return [...this.counts].reduce((sum, [name, count]) => (name.startsWith(what) ? sum + count : sum), 0);
  }

  /** How many comparisons are marked with `mark`. */
  countMarked(mark: string): number {
    return [...this.counts].reduce((sum, [name, count]) => (name.includes(mark) ? sum + count : sum), 0);
  }

  lines(): string[] {
    const table = [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, n]) => `${what}  ${n}`);
    const passed = [...this.passedOver].map(([why, n]) => `passed over: ${why}  ${n}`);
    return [...table, ...passed, ...this.differences.map((line) => `WRONG ${line}`)];
  }
}

function add(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
