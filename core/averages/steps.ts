// A value over a range of blocks.

/** What a value is at the end of block `from` and of the blocks after it, up to the next step. */
export interface Step<T> {
  from: number;
  value: T;
}

/** Ascending; the first begins with the range, the last holds to its end. */
export type Steps<T> = readonly Step<T>[];

/** What holds from the end of block `from` until before the end of block `until`. */
export interface Span {
  from: number;
  until: number;
}

/** `value` throughout. */
export const constant = <T>(from: number, value: T): Steps<T> => [{ from, value }];

/** The value at the end of `block`, which is not before the first step. */
export const valueAt = <T>(steps: Steps<T>, block: number): T => (steps[indexAt(steps, block)] as Step<T>).value;

/** Place of the last step that begins at `block` or before it; -1 where none does. */
export function indexAt(steps: readonly { from: number }[], block: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] as { from: number }).from <= block) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The same values without steps that change nothing. */
export function withoutRepeats<T>(steps: Steps<T>): Steps<T> {
  return steps.filter(({ value }, i) => i === 0 || value !== steps[i - 1]?.value);
}

type ValuesOf<All extends readonly Steps<unknown>[]> = {
  readonly [I in keyof All]: All[I] extends Steps<infer Value> ? Value : never;
};

/** The values of all at once, in their order: a step wherever one of them has one. All begin with the same block. */
export function merged<All extends readonly Steps<unknown>[] | []>(all: All): Steps<ValuesOf<All>> {
  const blocks = [...new Set(all.flatMap((steps) => steps.map(({ from }) => from)))].sort((a, b) => a - b);
  const places = all.map(() => 0);
  return blocks.map((from) => ({
    from,
    value: all.map((steps, i) => {
      let place = places[i] as number;
      while (place + 1 < steps.length && (steps[place + 1] as Step<unknown>).from <= from) place++;
      places[i] = place;
      return (steps[place] as Step<unknown>).value;
    }) as unknown as ValuesOf<All>,
  }));
}

/** The amounts of spans added up, from block `first` on, which none of them begins before; 0 where there is none. */
export function sumOfSpans(first: number, spans: readonly (Span & { amount: bigint })[]): Steps<bigint> {
  const changes = new Map<number, bigint>([[first, 0n]]);
  const add = (block: number, delta: bigint) => changes.set(block, (changes.get(block) ?? 0n) + delta);
  for (const { from, until, amount } of spans) {
    add(from, amount);
    add(until, -amount);
  }
  let sum = 0n;
  const steps = [...changes]
    .sort(([a], [b]) => a - b)
    .map(([from, delta]) => {
      sum += delta;
      return { from, value: sum };
    });
  return withoutRepeats(steps);
}
