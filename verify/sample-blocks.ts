// Which blocks a token is compared at: always those at its beginning and end, then random ones before, within and after its life.

/** Uniform numbers in [0, 1) that depend on `seed` alone (mulberry32 over an FNV-1a hash). */
export function seededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface TokenLife {
  /** The first block that is indexed. */
  start: number;
  /** Blocks of the token's first and last recorded event. */
  first: number;
  last: number;
  head: number;
}

/**
 * `count` distinct blocks in ascending order, or all there are if fewer: the one before the first event, the first, the
 * last and the one after, the head; of the rest 15 % before, 15 % after, the others within the token's life.
 */
export function sampleBlocks({ start, first, last, head }: TokenLife, count: number, random: () => number): number[] {
  const all = head - start + 1;
  if (all <= count) return Array.from({ length: all }, (_, i) => start + i);
  const corners = [first, last, head, first - 1, last + 1].filter((block) => block >= start && block <= head);
  const chosen = new Set(corners.slice(0, count));
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  while (chosen.size < count) {
    const place = random();
    if (place < 0.15 && first > start) chosen.add(between(start, first - 1));
    else if (place > 0.85 && last < head) chosen.add(between(last + 1, head));
    else if (place < 0.95) chosen.add(between(first, last));
    else chosen.add(between(start, head));
  }
  return [...chosen].sort((a, b) => a - b);
}
