// The same statement for several blocks in one round trip. Reading many blocks in one request takes the same steps for each of
// them, and each step sends the same text with other parameters: most of the cost is in the round trips.

import type { Snapshot } from "../database/snapshot.ts";
import { rowsOfSets, setsParameter, textForSets } from "../database/statement-sets.ts";
import { memoPerObject } from "../memo-per-object.ts";
import { type Deadline, requireTime } from "./require-time.ts";

interface Question {
  parameters: readonly string[];
  resolve(rows: object[]): void;
  reject(error: unknown): void;
}

/** Of one request. */
interface Round {
  /** By text; asked once nothing is under way any more. */
  waiting: Map<string, Question[]>;
  underWay: number;
  /** @throws RequestTooLongError */
  requireTime(): void;
}

const roundOf = memoPerObject((): { now: Round | undefined } => ({ now: undefined }));

/**
 * What `read` gives of each of `items`, all at once, by way of `asOf`. `read` may read the fold's tables unbatched: facts are read
 * under a savepoint, by one at a time. When one fails its error is thrown once all of them have ended.
 * @throws RequestTooLongError
 */
export async function readTogether<Item, Result>(
  context: Deadline & { snapshot: Snapshot },
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const { snapshot } = context;
  const failures: unknown[] = [];
  const readOne = async (item: Item): Promise<Result[]> => {
    try {
      return [await read(item)];
    } catch (error) {
      failures.push(error);
      return [];
    }
  };
  if (items.length > 1)
    roundOf(snapshot).now = { waiting: new Map(), underWay: 0, requireTime: () => requireTime(context) };
  try {
    const results = (await Promise.all(items.map(readOne))).flat();
    // later failures may only say that the transaction has failed
    if (failures.length > 0) throw failures[0];
    return results;
  } finally {
    roundOf(snapshot).now = undefined;
  }
}

/** `Snapshot.rows`; statements that are sent together go on once its rows are here. */
export const readRows = <T extends object>(snapshot: Snapshot, text: string, parameters?: string[]): Promise<T[]> =>
  readApart(snapshot, () => snapshot.rows<T>(text, parameters));

/** `Snapshot.unbatched`, likewise. */
export const readUnbatched = <T extends object>(snapshot: Snapshot, text: string, parameters: string[]): Promise<T[]> =>
  readApart(snapshot, () => snapshot.unbatched<T>(text, parameters));

async function readApart<T>(snapshot: Snapshot, read: () => Promise<T>): Promise<T> {
  const { now: round } = roundOf(snapshot);
  return round ? underWay(snapshot, round, read) : read();
}

/** `Snapshot.prepared`, sent together with what the other items of {@link readTogether} ask at the same time. */
export function readShared<T extends object>(snapshot: Snapshot, text: string, parameters: string[]): Promise<T[]> {
  const { now: round } = roundOf(snapshot);
  if (!round) return snapshot.prepared<T>(text, parameters);
  return new Promise<object[]>((resolve, reject) => {
    const questions = round.waiting.get(text) ?? [];
    round.waiting.set(text, questions);
    questions.push({ parameters, resolve, reject });
    schedule(snapshot, round);
  }) as Promise<T[]>;
}

async function underWay<T>(snapshot: Snapshot, round: Round, read: () => Promise<T>): Promise<T> {
  round.underWay += 1;
  try {
    return await read();
  } finally {
    round.underWay -= 1;
    schedule(snapshot, round);
  }
}

/** Waits until everything that the rows just read lead to has been asked. */
function schedule(snapshot: Snapshot, round: Round): void {
  setImmediate(() => {
    if (round.underWay > 0) return;
    const questions = [...round.waiting];
    round.waiting.clear();
    for (const [text, waiting] of questions) void answer(snapshot, { round, text, waiting });
  });
}

async function answer(
  snapshot: Snapshot,
  { round, text, waiting }: { round: Round; text: string; waiting: readonly Question[] },
): Promise<void> {
  try {
    round.requireTime();
    const found = await underWay(snapshot, round, () => readAll(snapshot, text, waiting));
    for (const [i, { resolve }] of waiting.entries()) resolve(found[i] ?? []);
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
}

async function readAll(snapshot: Snapshot, text: string, waiting: readonly Question[]): Promise<object[][]> {
  const [only] = waiting;
  if (only && waiting.length === 1) return [await snapshot.prepared(text, [...only.parameters])];
  const sets = waiting.map(({ parameters }) => parameters);
  return rowsOfSets(text, await snapshot.prepared(textForSets(text, sets), [setsParameter(text, sets)]), sets);
}
