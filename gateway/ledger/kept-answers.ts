// Things worked out once for a block of an index and needed again: the index and the block's hash decide the facts, so
// what is kept equals what any snapshot of them would give.
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";

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
  /** What was kept under `about`, else what `work` gives; kept only when the block's hash is known and `isFinal` agrees. */
  of(place: { snapshot: Snapshot; point: BlockPoint; about: string }, work: () => Promise<T>): Promise<T>;
}

/** `weigh` in any unit; the oldest are forgotten when all together weigh more than `most`. */
export function keepAnswers<T>(rules: {
  most: number;
  weigh: (answer: T) => number;
  isFinal?: (answer: T) => boolean;
}): KeptAnswers<T> {
  const kept = new Map<string, T>();
  let weight = 0;
  const keep = (key: string, answer: T) => {
    kept.set(key, answer);
    weight += rules.weigh(answer);
    for (const [oldest, one] of kept) {
      if (weight <= rules.most) return;
      kept.delete(oldest);
      weight -= rules.weigh(one);
    }
  };
  return {
    known: (place) => (place.point.hash === undefined ? undefined : kept.get(keyOf(place))),
    async of({ snapshot, point, about }, work) {
      if (point.hash === undefined) return work();
      const key = keyOf({ index: snapshot.index, point, about });
      const known = kept.get(key);
      if (known !== undefined) return known;
      const answer = await work();
      if ((rules.isFinal?.(answer) ?? true) && !kept.has(key)) keep(key, answer);
      return answer;
    },
  };
}

const keyOf = ({ index, point, about }: KeptPlace): string => `${index} ${point.block} ${point.hash} ${about}`;
