// Things worked out once for a block of an index and needed again: the index and the block's hash decide the facts, so
// what is kept equals what any snapshot of them would give.
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";

/** Who asks: of which index, and whether with a connection. */
export type Asking = Pick<Snapshot, "index" | "isOpen">;

/** A block of an index, and what is told of it. */
interface KeptPlace {
  /** See {@link Snapshot.index}. */
  index: string;
  point: Pick<BlockPoint, "block" | "hash">;
  about: string;
}

export interface KeptAnswers<T> {
  /** What is kept; undefined: nothing. */
  known(place: KeptPlace): T | undefined;
  /** What somebody is working out just now, if who asks may wait for it. It may fail, as their request may. */
  underWay(place: KeptPlace, asking: Asking): Promise<T> | undefined;
  /** Keeps what is known by other means, if the block's hash is known. */
  keep(place: KeptPlace, answer: T): void;
  /**
   * What was kept under `about`, else what `work` gives; kept only when the block's hash is known and `isFinal` agrees.
   * Who asks while another request is at the same work waits for that.
   */
  of(
    place: { snapshot: Asking; point: Pick<BlockPoint, "block" | "hash">; about: string },
    work: () => Promise<T>,
  ): Promise<T>;
}

const FAILED = Symbol("failed");

/** What nobody has asked for during this time makes room, so that what is kept settles within a minute. */
const LONGEST_UNASKED_MS = 30_000;

interface Working<T> {
  snapshot: Asking;
  answer: Promise<T>;
}

/**
 * Connections are few. Who has one must not wait for who may still be waiting for one: with every connection held by
 * such, nobody would go on.
 */
export const mayWait = (snapshot: Asking, others: Pick<Working<unknown>, "snapshot">): boolean =>
  !snapshot.isOpen || others.snapshot.isOpen;

interface Kept<T> {
  /** One string for as long as it is kept, however often it is asked for. */
  key: string;
  answer: T;
  askedAt: number;
}

/**
 * `weigh` in any unit; those asked for longest ago are forgotten when all together weigh more than `most`, are more than
 * `mostAnswers`, or were last asked for more than half a minute ago, whenever something else is kept.
 */
export function keepAnswers<T>(rules: {
  most: number;
  mostAnswers?: number;
  weigh: (answer: T) => number;
  isFinal?: (answer: T) => boolean;
}): KeptAnswers<T> {
  const kept = new Map<string, Kept<T>>();
  const underWay = new Map<string, Working<T>>();
  let weight = 0;
  const isTooMuch = () => weight > rules.most || kept.size > (rules.mostAnswers ?? Number.POSITIVE_INFINITY);
  const keep = (key: string, answer: T) => {
    if (kept.has(key)) return;
    const now = performance.now();
    kept.set(key, { key, answer, askedAt: now });
    weight += rules.weigh(answer);
    for (const [oldest, one] of kept) {
      if (one.askedAt >= now - LONGEST_UNASKED_MS && !isTooMuch()) return;
      kept.delete(oldest);
      weight -= rules.weigh(one.answer);
    }
  };
  const known = (key: string): T | undefined => {
    const one = kept.get(key);
    if (one === undefined) return undefined;
    kept.delete(key);
    one.askedAt = performance.now();
    kept.set(one.key, one);
    return one.answer;
  };
  const begin = async (key: string, snapshot: Asking, work: () => Promise<T>): Promise<T> => {
    const own = { snapshot, answer: work() };
    underWay.set(key, own);
    try {
      const answer = await own.answer;
      if (rules.isFinal?.(answer) ?? true) keep(key, answer);
      return answer;
    } finally {
      if (underWay.get(key) === own) underWay.delete(key);
    }
  };
  return {
    known: (place) => (place.point.hash === undefined ? undefined : known(keyOf(place))),
    underWay(place, asking) {
      const working = place.point.hash === undefined ? undefined : underWay.get(keyOf(place));
      return working && mayWait(asking, working) ? working.answer : undefined;
    },
    keep(place, answer) {
      if (place.point.hash !== undefined) keep(keyOf(place), answer);
    },
    async of({ snapshot, point, about }, work) {
      if (point.hash === undefined) return work();
      const key = keyOf({ index: snapshot.index, point, about });
      for (;;) {
        const answer = known(key);
        if (answer !== undefined) return answer;
        const others = underWay.get(key);
        if (others === undefined || !mayWait(snapshot, others)) break;
        // Their client may have gone, or their server: whatever ended their work need not end ours.
        const theirs = await others.answer.catch(() => FAILED);
        if (theirs !== FAILED) return theirs as T;
      }
      return begin(key, snapshot, work);
    },
  };
}

const keyOf = ({ index, point, about }: KeptPlace): string => `${index} ${point.block} ${point.hash} ${about}`;
