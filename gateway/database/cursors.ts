// Rows that are read while they are used, one batch ahead, over a connection that sends nothing else meanwhile.
import { setImmediate } from "node:timers/promises";

/** Those of one connection. */
interface Cursors {
  /** `cursor` is postgres.js's, whose types leave out some of its forms. The server makes a batch while the one before is used. */
  follow<Batch>(cursor: unknown, read: (rows: unknown[]) => Batch): AsyncIterator<Batch>;
  /** Ends those that were begun and not read to their end. */
  end(): Promise<void>;
}

/** What postgres.js gives of a cursor. */
type Rows = IteratorResult<unknown[]>;

interface Lent {
  isLost(): boolean;
  /** Called before the first batch of a cursor is fetched. */
  begins(): void;
}

/** `watch` runs what uses the connection, and throws once that `isLost`. */
export function openCursors(watch: (use: () => Promise<Rows>) => Promise<Rows>, { isLost, begins }: Lent): Cursors {
  const begun = new Set<AsyncIterator<unknown>>();
  return {
    follow<Batch>(cursor: unknown, read: (rows: unknown[]) => Batch) {
      const iterator = (cursor as AsyncIterable<unknown[]>)[Symbol.asyncIterator]();
      const fetchNext = () => watch(() => iterator.next());
      let ahead: Promise<Rows> | undefined;
      const batches: AsyncIterator<Batch> = {
        async next() {
          if (!begun.has(batches)) begins();
          begun.add(batches);
          const batch = await (ahead ?? fetchNext());
          if (batch.done) {
            begun.delete(batches);
            return { done: true, value: undefined };
          }
          ahead = fetchNext();
          ahead.catch(() => {});
          await untilSent();
          return { done: false, value: read(batch.value) };
        },
        async return() {
          // postgres.js closes a cursor between two batches only
          await ahead?.catch(() => {});
          if (begun.delete(batches) && !isLost()) await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
      return batches;
    },
    async end() {
      for (const batches of begun) await batches.return?.();
    },
  };
}

/** postgres.js sends what it has once the process is back in its event loop, before the loop's second turn. */
async function untilSent(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Rows of one text each, `separator` before every one. */
export function joinRows(rows: readonly (readonly [Buffer])[], separator: Buffer): Buffer {
  const joined = Buffer.allocUnsafe(rows.reduce((bytes, [row]) => bytes + separator.length + row.length, 0));
  let at = 0;
  for (const [row] of rows) {
    at += separator.copy(joined, at);
    at += row.copy(joined, at);
  }
  return joined;
}
