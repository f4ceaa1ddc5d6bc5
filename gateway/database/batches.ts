// Changes rows that come in batches, and leaves them in batches.

/** The same batches with other rows; empty ones are passed over. */
export function mapBatches<A, B>(batches: AsyncIterator<A[]>, change: (row: A) => B): AsyncIterator<B[]> {
  return {
    async next() {
      let batch = await batches.next();
      while (!batch.done && batch.value.length === 0) batch = await batches.next();
      return batch.done ? { done: true, value: undefined } : { done: false, value: batch.value.map(change) };
    },
    async return() {
      await batches.return?.();
      return { done: true, value: undefined };
    },
  };
}

/** `rows` that are here already, in batches of `size`. */
export async function* inBatches<Row>(rows: readonly Row[], size: number): AsyncGenerator<Row[], undefined> {
  for (let i = 0; i < rows.length; i += size) yield rows.slice(i, i + size);
  return undefined;
}
