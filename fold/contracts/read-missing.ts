// What no event says is read from contracts beside the fold, a little at a time.

/** Reads and stores some of what is missing; resolves to how much was stored. */
export type ReadMissing = () => Promise<number>;

/** Runs `work` never twice at a time: transactions on one connection would end each other. */
export function inTurn<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
