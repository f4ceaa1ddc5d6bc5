// Amounts that change from block to block, as steps: what held since when.

export interface Step<T> {
  /** Held from the end of this block on. */
  block: number;
  value: T;
}

/** The value at each of `blocks`, both in order; undefined before the first step. */
export function valuesAt<T>(steps: readonly Step<T>[], blocks: readonly number[]): (T | undefined)[] {
  let next = 0;
  let value: T | undefined;
  return blocks.map((block) => {
    for (let step = steps[next]; step && step.block <= block; step = steps[++next]) value = step.value;
    return value;
  });
}

/** Every block at which one of `histories` has a step, ascending; those before `first` count as `first`. */
export function blocksOf(histories: readonly (readonly Step<unknown>[])[], first: number): number[] {
  const blocks = new Set(histories.flatMap((steps) => steps.map(({ block }) => Math.max(block, first))));
  return [...blocks].sort((a, b) => a - b);
}
