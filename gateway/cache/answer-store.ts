// What is stored, within one budget of bytes: what was used longest ago goes first, and what has not been used for a while
// goes by itself, so that memory comes to rest.
import { LRUCache } from "lru-cache";
import type { Question } from "./question.ts";

/** Of one question, since the process began; `entries` and `bytes` are those of now. */
export interface QuestionStats {
  question: string;
  /** Answers that were stored. */
  hits: number;
  /** Answers that somebody else was working out already. */
  shared: number;
  /** Answers that had to be worked out. */
  misses: number;
  entries: number;
  bytes: number;
  /** Answers that made room for others. */
  evicted: number;
  /** Answers that nobody has used for a while. */
  expired: number;
  /** Answers that are too large to be stored. */
  refused: number;
}

interface Entry {
  answer: unknown;
  bytes: number;
  stats: QuestionStats;
}

/** A larger part of the budget is not given to one answer. */
const LARGEST_PART = 1 / 4;
/** Of an entry, beside its answer and the characters of its key. */
const ENTRY_BYTES = 200;
const PURGE_MS = 10_000;

export class AnswerStore {
  readonly #entries: LRUCache<string, Entry>;
  readonly #largest: number;
  readonly #questions = new Map<string, { question: Question<never>; stats: QuestionStats }>();
  #purge: NodeJS.Timeout | undefined;

  constructor(mostBytes: number) {
    this.#largest = Math.floor(mostBytes * LARGEST_PART);
    this.#entries = new LRUCache({
      maxSize: mostBytes,
      sizeCalculation: ({ bytes }) => bytes,
      updateAgeOnGet: true,
      // above 0, reads would start timers
      ttlResolution: 0,
      perf: { now: () => performance.now() },
      dispose: ({ bytes, stats }, _key, reason) => {
        stats.entries -= 1;
        stats.bytes -= bytes;
        if (reason === "evict") stats.evicted += 1;
        if (reason === "expire") stats.expired += 1;
      },
    });
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get mostBytes(): number {
    return this.#entries.maxSize;
  }

  get<T>(key: string): T | undefined {
    return this.#entries.get(key)?.answer as T | undefined;
  }

  /** What is stored already stays. */
  set<T>(question: Question<T>, key: string, answer: T): void {
    if (answer === undefined || !question.isLasting(answer) || this.#entries.has(key)) return;
    const stats = this.statsOf(question);
    const bytes = Math.ceil(ENTRY_BYTES + key.length + question.weigh(answer));
    if (bytes > this.#largest) {
      stats.refused += 1;
      return;
    }
    this.#entries.set(key, { answer, bytes, stats }, { ttl: question.unusedMs });
    stats.entries += 1;
    stats.bytes += bytes;
    this.#purgeLater();
  }

  clear(): void {
    this.#entries.clear();
  }

  /** @throws Error when another question has the same name: their answers would be mixed up */
  statsOf<T>(question: Question<T>): QuestionStats {
    const found = this.#questions.get(question.name);
    if (found?.question === question) return found.stats;
    if (found) throw new Error(`two questions are called ${question.name}`);
    const stats = {
      question: question.name,
      hits: 0,
      shared: 0,
      misses: 0,
      entries: 0,
      bytes: 0,
      evicted: 0,
      expired: 0,
      refused: 0,
    };
    this.#questions.set(question.name, { question, stats });
    return stats;
  }

  stats(): QuestionStats[] {
    return [...this.#questions.values()].map(({ stats }) => ({ ...stats }));
  }

  /** Only while something is stored, so that a cache that nobody uses any more can be collected. */
  #purgeLater(): void {
    this.#purge ??= setTimeout(() => {
      this.#purge = undefined;
      this.#entries.purgeStale();
      if (this.#entries.size > 0) this.#purgeLater();
    }, PURGE_MS).unref();
  }
}
