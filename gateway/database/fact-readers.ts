// Several parts of one request may read facts at the same time: the first one takes the locks, the last one lets go of them.

interface Locks {
  take(): Promise<void>;
  letGo(): Promise<void>;
}

export class FactReaders {
  #count = 0;
  #taken: Promise<void> | undefined;

  async run<T>(locks: Locks, read: () => Promise<T>): Promise<T> {
    this.#count += 1;
    this.#taken ??= locks.take();
    try {
      await this.#taken;
      return await read();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) {
        this.#taken = undefined;
        await locks.letGo();
      }
    }
  }
}
