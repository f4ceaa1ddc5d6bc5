// Changes rows that come in batches, and leaves them in batches.

/** The same batches with other rows; empty ones are passed over. */
export function mapBatches<A, B>(batches: AsyncIterator<A[]>, change: (row: A) => B): AsyncIterator<B[]> {
  return {
    async next() {
      let batch = await batches.next();
      while (!batch.done && batch.value.length === 0) batch = await batches.next();
      return batch.done ? { done: true, value: undefined } : { done: false, value: batch.value.map(change) };
    },
    return: () => ended(batches),
  };
}

/** The same with whole batches made into something else. */
export const mapWhole = <A, B>(batches: AsyncIterator<A>, change: (batch: A) => B): AsyncIterator<B> => ({
  async next() {
    const batch = await batches.next();
    return batch.done ? { done: true, value: undefined } : { done: false, value: change(batch.value) };
  },
  return: () => ended(batches),
});

async function ended(batches: AsyncIterator<unknown>): Promise<IteratorReturnResult<undefined>> {
  await batches.return?.();
  return { done: true, value: undefined };
}

/** Rows of an answer that are written together. */
export const ROWS_PER_BATCH = 1_000;

/** `rows` that are here already, in batches. */
export async function* inBatches<Row>(rows: readonly Row[]): AsyncGenerator<Row[], undefined> {
  for (let i = 0; i < rows.length; i += ROWS_PER_BATCH) yield rows.slice(i, i + ROWS_PER_BATCH);
  return undefined;
}
