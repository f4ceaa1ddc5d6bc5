// Total supplies: the holdings of asset 0, whose accounts are token addresses. A block's hash decides them.
import { EVERY } from "../../core/ledgers/listing.ts";
import { question } from "../cache/question.ts";
import { changing } from "../database/recent-changes.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Address } from "../parameters.ts";
import { placeOfThings } from "./as-of.ts";
import { assetAmounts } from "./asset-amounts.ts";
import type { BlockPoint } from "./point.ts";

const supplies = question<bigint>("supplies");

/** Supply of each of `tokens` at the end of the block, raw units, in their order. */
export async function suppliesAt(
  snapshot: Pick<Snapshot, "prepared" | "fold" | "cache">,
  point: BlockPoint,
  tokens: readonly Address[],
): Promise<bigint[]> {
  const placeOf = (token: Address) => placeOfThings(point, token, [changing.supply(token)]);
  const stored = tokens.map((token) => snapshot.cache.get(supplies, placeOf(token)));
  if (stored.every((supply) => supply !== undefined)) return stored;
  const found = new Map(tokens.map((token, i) => [token, stored[i]]));
  const missing = [...found].flatMap(([token, supply]) => (supply === undefined ? [token] : []));
  const place = {
    ...{ fold: snapshot.fold, block: point.block },
    prepared: <T extends object>(text: string, parameters: string[]) => snapshot.prepared<T>(text, parameters),
  };
  const read = await assetAmounts(
    place,
    missing.map((account) => ({ kind: "supply", key: EVERY, account })),
  );
  for (const [i, token] of missing.entries()) {
    found.set(token, read[i] ?? 0n);
    snapshot.cache.set(supplies, placeOf(token), read[i] ?? 0n);
  }
  return tokens.map((token) => found.get(token) ?? 0n);
}
