// What was asked about newest blocks a moment ago: most likely the next block will be asked the same.
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../ledger/point.ts";

/** What can be made ready for a new block; see warm-block.ts. */
export type Subject = "look-through" | "holders" | "price" | "router" | "launches" | "vaults" | "pools" | "position";

const LATELY_MS = 6_000;
/** Quotes come in bursts, and the first one after a pause would wait for the state of all pools. */
const LATELY_QUOTED_MS = 600_000;

const latelyMs = (subject: Subject): number => (subject === "router" ? LATELY_QUOTED_MS : LATELY_MS);

/** Of each subject: those asked for longest ago are forgotten. */
const MOST_REMEMBERED = 200;

/** By chain and subject: when each key was asked for last. */
const asked = new Map<string, Map<string, number>>();

const nameOf = (chainId: number, subject: Subject): string => `${chainId} ${subject}`;

/** Somebody asks for `key` of `subject`. */
export function noteAsked(chainId: number, subject: Subject, key = ""): void {
  const name = nameOf(chainId, subject);
  const keys = asked.get(name) ?? new Map<string, number>();
  asked.set(name, keys);
  keys.delete(key);
  keys.set(key, performance.now());
  const [oldest] = keys.keys();
  if (keys.size > MOST_REMEMBERED && oldest !== undefined) keys.delete(oldest);
}

/** The same, if the newest block is meant. */
export function noteNewest(
  { chain }: Pick<OperationContext, "chain">,
  point: BlockPoint,
  what: [Subject, string],
): void {
  if (point.block === point.lastSynced) noteAsked(chain.chainId, ...what);
}

export function askedLately(chainId: number, subject: Subject): string[] {
  const since = performance.now() - latelyMs(subject);
  return [...(asked.get(nameOf(chainId, subject)) ?? [])].flatMap(([key, at]) => (at >= since ? [key] : []));
}

export const isAnythingAskedLately = (chainId: number): boolean =>
  subjects.some((subject) => askedLately(chainId, subject).length > 0);

const subjects: readonly Subject[] = [
  ...(["look-through", "holders", "price", "router"] as const),
  ...(["launches", "vaults", "pools", "position"] as const),
];
