// Reads in bulk once, and then from memory without a promise: what is wanted in the same turn is one statement.
import DataLoader from "dataloader";

export class BulkLoader<Wanted, Found> {
  readonly #nameOf: (wanted: Wanted) => string;
  readonly #found = new Map<string, Found>();
  readonly #loader: DataLoader<Wanted, Found, string>;

  /** `read` answers in the order of what it is given. */
  constructor(nameOf: (wanted: Wanted) => string, read: (wanted: readonly Wanted[]) => Promise<Found[]>) {
    this.#nameOf = nameOf;
    this.#loader = new DataLoader(read, { cacheKeyFn: nameOf });
  }

  /** Undefined before it is loaded. */
  find(wanted: Wanted): Found | undefined {
    return this.#found.get(this.#nameOf(wanted));
  }

  /** In the order of `wanted`; each can be found from then on. */
  load(wanted: readonly Wanted[]): Promise<Found[]> {
    return Promise.all(
      wanted.map(async (one) => {
        const name = this.#nameOf(one);
        const before = this.#found.get(name);
        if (before !== undefined) return before;
        const found = await this.#loader.load(one);
        this.#found.set(name, found);
        return found;
      }),
    );
  }
}
