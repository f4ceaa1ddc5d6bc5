// The scenario's own random numbers: the same seed gives the same sequence on every machine.

/** Repeatable random choices. */
export interface Random {
  /** A float in [0, 1). */
  next(): number;
  /** An integer in [low, high], both included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** `count` different items. */
  sample<T>(items: readonly T[], count: number): T[];
  /** An amount in [low, high] with six significant random digits and random dust below them. */
  amount(low: bigint, high: bigint): bigint;
  /** An independent sequence: what one part draws does not shift another. */
  fork(label: string): Random;
}

/** FNV-1a over the UTF-16 units of `text`, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/** mulberry32 (Tommy Ettinger, public domain) seeded by the hash of `seed`. */
export function seedRandom(seed: string): Random {
  let state = hashText(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => {
    const item = items[between(0, items.length - 1)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick,
    sample(items, count) {
      const left = [...items];
      const taken: (typeof left)[number][] = [];
      while (taken.length < count && left.length > 0) taken.push(...left.splice(between(0, left.length - 1), 1));
      return taken;
    },
    amount(low, high) {
      const span = high - low;
      const coarse = (span * BigInt(between(0, 999_999))) / 1_000_000n;
      const amount = low + coarse + BigInt(between(0, 999_999_999));
      return amount > high ? high : amount;
    },
    fork: (label) => seedRandom(`${seed}/${label}`),
  };
}
