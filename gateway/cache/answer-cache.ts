// The gateway's one cache: (index, block's hash or "final", question) -> answer. Only what these decide may be stored; whatever
// else shapes an answer is its revision, which is part of the key. A request that needs an answer that another one is just
// working out waits for that.
import { AnswerStore, type QuestionStats } from "./answer-store.ts";
import type { Question } from "./question.ts";

/** In the place of a block's hash: final rows decide the answer, and the key says which. */
export const FINAL = "final";

/** In the same place: the answer is the same at every block, until blocks are taken back. */
export const NOW = "now";

const DEFAULT_BYTES = 128 * 1024 * 1024;

/** Which answer to a question. */
export interface AnswerPlace {
  /** The hash of the block that decides it, {@link FINAL} or {@link NOW}. Undefined: the hash is not here, and nothing is stored. */
  at: string | undefined;
  /** Everything else that the question names. */
  key: string;
  /** What else shapes the answer: a text or number that differs once that has changed. */
  revision?: string | number | undefined;
}

/** A reader of answers: of which index, and whether it has a database connection. A snapshot is one. */
export interface Reader {
  readonly index: string;
  /** What else identifies blocks, `rewinds` those that are not final: see `IndexState`. */
  readonly state?: { readonly rewinds: number; readonly withoutHistory: number };
  readonly isOpen: boolean;
}

interface Running {
  reader: Reader;
  answer: Promise<unknown>;
}

interface Shared {
  store: AnswerStore;
  /** What is being worked out, by key. */
  running: Map<string, Running>;
}

/** One for each process, made where it begins. */
export class AnswerCache {
  readonly #shared: Shared;

  constructor({ mostBytes = DEFAULT_BYTES }: { mostBytes?: number } = {}) {
    this.#shared = { store: new AnswerStore(mostBytes), running: new Map() };
  }

  for(reader: Reader): ReaderCache {
    return new ReaderCache(reader, this.#shared);
  }

  /** Nothing is stored any more, and nothing that is being worked out will be. */
  clear(): void {
    this.#shared.running.clear();
    this.#shared.store.clear();
  }

  stats(): { bytes: number; mostBytes: number; questions: QuestionStats[] } {
    const { store } = this.#shared;
    return { bytes: store.bytes, mostBytes: store.mostBytes, questions: store.stats() };
  }
}

/** The cache for one reader. Answers are shared by all, and never to be changed. */
export class ReaderCache {
  readonly #reader: Reader;
  readonly #shared: Shared;

  constructor(reader: Reader, shared: Shared) {
    this.#reader = reader;
    this.#shared = shared;
  }

  /** What is stored, else what `work` gives. */
  async of<T>(question: Question<T>, place: AnswerPlace, work: () => Promise<T>): Promise<T> {
    const key = this.#keyOf(question, place);
    if (key === undefined) return work();
    const { store, running } = this.#shared;
    const stats = store.statsOf(question);
    for (;;) {
      const stored = store.get<T>(key);
      if (stored !== undefined) {
        stats.hits += 1;
        return stored;
      }
      const other = running.get(key);
      if (other === undefined || !mayWait(this.#reader, other.reader)) break;
      const answer = await other.answer.catch(() => FAILED);
      // The other request's client may have gone, or its server: what ended its work need not end ours.
      if (answer === FAILED) continue;
      stats.shared += 1;
      return answer as T;
    }
    stats.misses += 1;
    return this.#begin(question, key, work);
  }

  /** An answer about each of `items`, in their order: those that are stored, and what `work` gives of all others at once. */
  async ofEach<T, Item>(
    question: Question<T>,
    { items, placeOf }: { items: readonly Item[]; placeOf: (item: Item) => AnswerPlace },
    work: (missing: readonly Item[]) => Promise<readonly T[]>,
  ): Promise<T[]> {
    const answers = items.map((item) => this.get(question, placeOf(item)));
    const missing = items.filter((_, i) => answers[i] === undefined);
    const worked = missing.length === 0 ? [] : await work(missing);
    for (const [i, item] of missing.entries()) this.set(question, placeOf(item), worked[i] as T);
    let next = 0;
    return answers.map((answer) => answer ?? (worked[next++] as T));
  }

  /** What is stored. */
  get<T>(question: Question<T>, place: AnswerPlace): T | undefined {
    const key = this.#keyOf(question, place);
    if (key === undefined) return undefined;
    const { store } = this.#shared;
    const answer = store.get<T>(key);
    if (answer !== undefined) store.statsOf(question).hits += 1;
    return answer;
  }

  /** Stores what was worked out in another way, such as many answers at once. */
  set<T>(question: Question<T>, place: AnswerPlace, answer: T): void {
    const key = this.#keyOf(question, place);
    if (key === undefined) return;
    const { store } = this.#shared;
    store.statsOf(question).misses += 1;
    store.set(question, key, answer);
  }

  async #begin<T>(question: Question<T>, key: string, work: () => Promise<T>): Promise<T> {
    const { store, running } = this.#shared;
    const answer = work();
    const own = { reader: this.#reader, answer };
    running.set(key, own);
    // not after a clear(), and not when somebody who could not wait has begun it once more
    const isOurs = () => running.get(key) === own;
    try {
      const found = await answer;
      if (isOurs()) store.set(question, key, found);
      return found;
    } finally {
      if (isOurs()) running.delete(key);
    }
  }

  #keyOf<T>({ name }: Question<T>, { at, key, revision = "" }: AnswerPlace): string | undefined {
    if (at === undefined) return undefined;
    const { index, state: { rewinds, withoutHistory } = UNCHANGED } = this.#reader;
    return [name, index, withoutHistory, at === FINAL ? "" : rewinds, at, revision, key].join("\n");
  }
}

const UNCHANGED = { rewinds: 0, withoutHistory: 0 };

const FAILED = Symbol("failed");

/**
 * Connections are few. A reader that has one must not wait for a reader that may still be waiting for one: if all connections
 * were held like that, nothing would ever go on.
 */
const mayWait = (reader: Reader, other: Reader): boolean => !reader.isOpen || other.isOpen;
