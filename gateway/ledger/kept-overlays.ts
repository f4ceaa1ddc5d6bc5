// What happened to a token above the watermark, kept: block and watermark decide it.
import { EVERY } from "../../core/ledgers/listing.ts";
import type { Address } from "../parameters.ts";
import { knownChanges, nameOf } from "./changes-above.ts";
import type { FactsScope } from "./facts-scope.ts";
import { keepAnswers } from "./kept-answers.ts";
import { NO_OVERLAY, type Overlay, readOverlay } from "./overlay.ts";
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";
import { knownBroken } from "./tokens-above.ts";

const kept = keepAnswers<Overlay>({ most: 200_000, weigh: ({ accounts }) => 5 + accounts.length });

const aboutOf = (token: Address, { watermark }: BlockPoint): string => `${token} above ${watermark}`;

/** {@link readOverlay} at the point. */
export function overlayAt(
  facts: FactsScope,
  { snapshot, point }: { snapshot: Snapshot; point: BlockPoint },
  { token, assetId }: { token: Address; assetId: number | undefined },
): Promise<Overlay> {
  const read = async () =>
    overlayFrom(snapshot.index, point, token) ?? readOverlay(facts, { token, assetId, upTo: point.block });
  return point.block <= point.watermark ? read() : kept.of({ snapshot, point, about: aboutOf(token, point) }, read);
}

/** Where the changes of all ledgers and the tokens that they break are known already. */
function overlayFrom(index: string, point: BlockPoint, token: Address): Overlay | undefined {
  const changes = knownChanges(index, point);
  const broken = knownBroken(index, point);
  // what is wrong with a token, its own changes tell
  if (!changes || !broken || broken.has(token)) return undefined;
  const held = [...(changes.get(nameOf({ kind: "erc20", key: token })) ?? [])];
  const supplyDelta = changes.get(nameOf({ kind: "supply", key: EVERY }))?.get(token) ?? 0n;
  return {
    accounts: held.map(([account]) => account as Address),
    deltas: held.map(([, delta]) => String(delta)),
    supplyDelta: String(supplyDelta),
    broken: undefined,
  };
}

/** The same if it is known already. */
export const knownOverlay = (index: string, point: BlockPoint, token: Address): Overlay | undefined =>
  point.block <= point.watermark ? NO_OVERLAY : kept.known({ index, point, about: aboutOf(token, point) });

const changes = new WeakMap<Overlay, ReadonlyMap<string, bigint>>();

/** By account; raw units. */
export function deltasOf(overlay: Overlay): ReadonlyMap<string, bigint> {
  const known = changes.get(overlay);
  if (known) return known;
  const deltas = new Map(overlay.accounts.map((account, i) => [account as string, BigInt(overlay.deltas[i] ?? "0")]));
  changes.set(overlay, deltas);
  return deltas;
}
