// The queue of block ranges whose logs are to be cached. Ponder 0.17.7 queues the next range inside the transaction of the one
// before, and begins that transaction again when a statement fails, for instance on a full disk: so the next range is queued once for
// each attempt. Each of these takes one of the two connections for the cache, and waits for the range before it, which after two
// failures finds no free connection any more: Ponder stands still, for ever.
//
// This takes the place of Ponder's own module where ranges are queued: two that wait for the same promise are the same range.
interface Waiting {
  promise?: object;
}

interface Queue<T> {
  callback(value: T): void;
  generator: AsyncGenerator<T>;
}

interface Generators {
  bufferAsyncGenerator: unknown;
  mergeAsyncGenerators: unknown;
  createCallbackGenerator<T>(onLength?: (length: number) => void): Queue<T>;
}

const own = new URL("../../node_modules/ponder/dist/esm/utils/generators.js", import.meta.url);
const generators = (await import(own.href)) as Generators;

export const { bufferAsyncGenerator, mergeAsyncGenerators } = generators;

export function createCallbackGenerator<T extends Waiting>(onLength?: (length: number) => void): Queue<T> {
  const { callback, generator } = generators.createCallbackGenerator<T>(onLength);
  const waitedFor = new WeakSet<object>();
  return {
    generator,
    callback(value) {
      const { promise } = value;
      if (promise === undefined || !waitedFor.has(promise)) callback(value);
      if (promise !== undefined) waitedFor.add(promise);
    },
  };
}
