// Several parts of one request may read facts at the same time: the first one takes the locks, the last one lets go of them. When
// a statement of theirs has failed, nothing of the transaction is answered until all have let go.
import { isLockLost } from "../../database/error-codes.ts";
import { isAborted } from "../errors.ts";

const ATTEMPTS = 3;

interface Locks {
  take(): Promise<void>;
  /** What it sends must be on its way when it returns. */
  letGo(): Promise<void>;
}

/** From taking the locks to letting go of them. */
interface Reading {
  count: number;
  taken: Promise<void>;
  hasFailed: boolean;
  ended: Promise<void>;
  end: () => void;
}

function beginReading(locks: Locks): Reading {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { count: 0, taken: locks.take(), hasFailed: false, ended, end };
}

export class FactReaders {
  #reading: Reading | undefined;

  async run<T>(locks: Locks, read: () => Promise<T>): Promise<T> {
    while (this.#reading?.hasFailed) await this.ended;
    this.#reading ??= beginReading(locks);
    const reading = this.#reading;
    reading.count += 1;
    try {
      await reading.taken;
      return await read();
    } catch (error) {
      reading.hasFailed = true;
      throw error;
    } finally {
      reading.count -= 1;
      if (reading.count === 0) {
        this.#reading = undefined;
        const letting = locks.letGo();
        reading.end();
        await letting;
      }
    }
  }

  /** Resolves once those who read facts now have let go; one of them must not wait for it. */
  get ended(): Promise<void> {
    return this.#reading?.ended ?? Promise.resolve();
  }
}

/** Repeats a read that failed because Ponder's DDL held the lock, or because another read of its transaction did. */
export async function untilUnlocked<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await read();
    } catch (error) {
      if (attempt >= ATTEMPTS || !(isLockLost(error) || isAborted(error))) throw error;
    }
}
