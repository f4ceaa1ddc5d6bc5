// Quotes that are asked for at the same time read the index together: one transaction and one reading of the pools for all that
// wait, instead of one for each.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainFile } from "../../chains/chain-file.ts";
import type { OperationContext, Service } from "../context.ts";
import { openRouter, type RouterPlace } from "../router/place.ts";
import { withOwnSnapshot } from "./own-snapshot.ts";

type Use<T> = (context: OperationContext, place: RouterPlace) => Promise<T>;

interface Waiting {
  use(context: OperationContext, place: RouterPlace): Promise<void>;
  reject(error: unknown): void;
}

/** Longer transactions would hold back the database's housekeeping. */
const MOST_TOGETHER = 100;

export class MarketReader {
  readonly #service: Service;
  readonly #chain: ChainFile;
  readonly #waiting: Waiting[] = [];
  #isReading = false;

  constructor(service: Service, chain: ChainFile) {
    this.#service = service;
    this.#chain = chain;
  }

  /** Runs `use` at the newest block, in turn with others. @throws what openRouter and `use` throw */
  read<T>(use: Use<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ use: (context, place) => use(context, place).then(resolve, reject), reject });
    });
    void this.#readAll();
    return result;
  }

  async #readAll(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#waiting.length > 0) await this.#readTogether(this.#waiting.splice(0, MOST_TOGETHER));
    } finally {
      this.#isReading = false;
    }
  }

  /** Never throws: errors go to those who wait. */
  async #readTogether(batch: readonly Waiting[]): Promise<void> {
    const parts = { service: this.#service, chain: this.#chain };
    try {
      await withOwnSnapshot(parts, async (context) => {
        const place = await openRouter(context, { kind: "latest" });
        for (const one of batch) {
          await one.use(context, place);
          // a search takes milliseconds: others get their turn between two
          await nextTurn();
        }
      });
    } catch (error) {
      // those that have been answered already ignore this
      for (const one of batch) one.reject(error);
    }
  }
}
