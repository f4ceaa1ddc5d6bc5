// The duration class of a closed interval: floor(log2(blocks)). All intervals of one class that hold a block begin
// within twice its length before it, which bounds an index scan (docs/adr/0003-closed-intervals.md).

/** The class of `blocks` >= 1. */
export function durationClass(blocks: number): number {
  return 31 - Math.clz32(blocks);
}

/** The same as SQL text, exactly: the index of an int4 expression among the powers of two. */
export const durationClassSql = (blocks: string): string =>
  `width_bucket(${blocks}, array[${Array.from({ length: 30 }, (_, k) => 2 ** (k + 1)).join(",")}]::int4[])::int2`;
