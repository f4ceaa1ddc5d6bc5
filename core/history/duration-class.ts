// The duration class of a closed interval: floor(log2(blocks)). All intervals of one class that hold a block begin
// within twice its length before it, which bounds an index scan (docs/adr/0003-closed-intervals.md).

/** Of `blocks` >= 1. */
export function durationClass(blocks: number): number {
  return 31 - Math.clz32(blocks);
}

/** The same as SQL text, exactly: the index of an int4 expression among the powers of two. */
export const durationClassSql = (blocks: string): string =>
  `width_bucket(${blocks}, array[${Array.from({ length: 30 }, (_, k) => 2 ** (k + 1)).join(",")}]::int4[])::int2`;

/**
 * SQL condition that every interval meets. Indexes by class hold what meets it, so that PostgreSQL reads them for texts alone
 * that say it: planned for any asset where most have few intervals, a seek by key would otherwise read all of an asset's.
 */
export const hasClass = (interval?: string): string => `${interval === undefined ? "" : `${interval}.`}lvl >= 0`;
