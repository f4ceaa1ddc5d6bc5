// What waits for one subscriber: a bounded queue that is read as an async iterator. The writer never waits.
import type { GatewayError } from "../errors.ts";
import { SubscriberTooSlowError } from "./subscription-ended.ts";

/** Where as many events wait for one subscriber, no more are put behind them. */
export const MOST_WAITING = 256;

/** What a subscriber reads: events, and at most one ending, which is the last. */
type Announced<T> = { event: T } | { ended: GatewayError };

type Result<T> = IteratorResult<Announced<T>, undefined>;

export class EventQueue<T> implements AsyncIterableIterator<Announced<T>, undefined> {
  readonly #onClose: () => void;
  #waiting: Announced<T>[] = [];
  /** A reader that came before the event. */
  #reader: ((result: Result<T>) => void) | undefined;
  #isClosed = false;

  /** `onClose` runs once: when the reader leaves, or when the last event has been put in. */
  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * All that came at once, however much it is: nobody could have read a part of it before. A queue that was full already ends
   * with the reason behind what waits.
   */
  push(events: readonly T[]): void {
    if (this.#isClosed || events.length === 0) return;
    if (this.#waiting.length >= MOST_WAITING) this.end(new SubscriberTooSlowError(MOST_WAITING));
    else for (const event of events) this.#put({ event });
  }

  end(ended: GatewayError): void {
    if (this.#isClosed) return;
    this.#put({ ended });
    this.#close();
  }

  next(): Promise<Result<T>> {
    const value = this.#waiting.shift();
    if (value) return Promise.resolve({ done: false, value });
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  /** The reader has left. */
  async return(): Promise<Result<T>> {
    this.#waiting = [];
    this.#close();
    this.#reader?.({ done: true, value: undefined });
    this.#reader = undefined;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #put(announced: Announced<T>): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) reader({ done: false, value: announced });
    else this.#waiting.push(announced);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
  }
}
