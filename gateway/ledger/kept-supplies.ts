// Supplies of tokens at a block, kept: the block's hash decides them.
import type { Address } from "../parameters.ts";
import { keepAnswers } from "./kept-answers.ts";
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";
import { supplyAt } from "./supply-at.ts";

const kept = keepAnswers<bigint>({ most: 20_000, weigh: () => 1 });

const aboutOf = (token: Address): string => `${token} supply`;

/** {@link supplyAt}. */
export const keptSupplyAt = (
  snapshot: Snapshot,
  point: BlockPoint,
  located: Parameters<typeof supplyAt>[2],
): Promise<bigint> =>
  kept.of({ snapshot, point, about: aboutOf(located.token) }, () => supplyAt(snapshot, point, located));

/** The same if it is known already. */
export const knownSupply = (at: { index: string; point: BlockPoint }, token: Address): bigint | undefined =>
  kept.known({ ...at, about: aboutOf(token) });
