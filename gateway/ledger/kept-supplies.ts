// Supplies of tokens at a block, kept: the block's hash decides them.
import type { Address } from "../parameters.ts";
import type { FactsScope } from "./facts-scope.ts";
import { keepAnswers } from "./kept-answers.ts";
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";
import { suppliesAt, supplyAt } from "./supply-at.ts";

const kept = keepAnswers<bigint>({ most: 8_000, weigh: () => 1 });

const aboutOf = (token: Address): string => `${token} supply`;

/** {@link supplyAt}. */
export const keptSupplyAt = (
  snapshot: Snapshot,
  point: BlockPoint,
  located: Parameters<typeof supplyAt>[2],
): Promise<bigint> =>
  kept.of({ snapshot, point, about: aboutOf(located.token) }, () => supplyAt(snapshot, point, located));

/** {@link suppliesAt}, where all of them are known already. */
export function knownSupplies(
  at: { index: string; point: BlockPoint },
  tokens: readonly Address[],
): bigint[] | undefined {
  const supplies = tokens.flatMap((token) => knownSupply(at, token) ?? []);
  return supplies.length === tokens.length ? supplies : undefined;
}

/** {@link suppliesAt}, and the next who asks finds them. */
export async function readSupplies(
  facts: FactsScope,
  point: BlockPoint,
  tokens: readonly Address[],
): Promise<bigint[]> {
  const at = { index: facts.index, point };
  const unread = tokens.filter((token) => knownSupply(at, token) === undefined);
  const read = await suppliesAt(facts, point, unread);
  const supplies = new Map(unread.map((token, i) => [token, read[i] ?? 0n]));
  for (const [token, supply] of supplies) kept.keep({ ...at, about: aboutOf(token) }, supply);
  return tokens.map((token) => supplies.get(token) ?? knownSupply(at, token) ?? 0n);
}

/** The same if it is known already. */
export const knownSupply = (at: { index: string; point: BlockPoint }, token: Address): bigint | undefined =>
  kept.known({ ...at, about: aboutOf(token) });
