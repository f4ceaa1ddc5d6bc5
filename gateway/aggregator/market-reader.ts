// Quotes that are asked for at the same time read the index together: one transaction and one reading of the pools for all that
// wait, instead of one for each.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainFile } from "../../chains/chain-file.ts";
import { isCanceled } from "../../database/error-codes.ts";
import type { OperationContext, Service } from "../context.ts";
import { mayPassElsewhere } from "../database/transaction.ts";
import { GatewayError } from "../errors.ts";
import { openRouter, type RouterPlace } from "../router/place.ts";
import { withOwnSnapshot } from "./own-snapshot.ts";

type Use<T> = (context: OperationContext, place: RouterPlace) => Promise<T>;

interface Waiting {
  use: Use<unknown>;
  resolve(found: unknown): void;
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

  /** What `use` gives at the newest block, in turn with others. @throws what openRouter and `use` throw */
  read<T>(use: Use<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ use, resolve: resolve as Waiting["resolve"], reject });
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
  async #readTogether(batch: Waiting[]): Promise<void> {
    while (batch.length > 0) {
      let hasMarket = false;
      try {
        await withOwnSnapshot({ service: this.#service, chain: this.#chain }, async (context) => {
          hasMarket = false;
          const place = await openRouter(context, { kind: "latest" });
          hasMarket = true;
          await answerAll(batch, context, place);
        });
      } catch (error) {
        // a failed statement ends the transaction: its question gets the error, the others another transaction; where one takes too
        // long, the others would only wait for theirs
        const isOnlyTheFirst = hasMarket && !isCanceled(error);
        for (const one of batch.splice(0, isOnlyTheFirst ? 1 : batch.length)) one.reject(error);
      }
    }
  }
}

/** Takes those who are answered out of `batch`. @throws what ends the transaction, its question still at the front */
async function answerAll(batch: Waiting[], context: OperationContext, place: RouterPlace): Promise<void> {
  for (let one = batch[0]; one !== undefined; one = batch[0]) {
    try {
      one.resolve(await one.use(context, place));
    } catch (error) {
      if (!(error instanceof GatewayError) || mayPassElsewhere(error)) throw error;
      one.reject(error);
    }
    batch.shift();
    // a search takes milliseconds: others get their turn between two
    await nextTurn();
  }
}
