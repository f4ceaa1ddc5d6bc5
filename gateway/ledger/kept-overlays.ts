// What happened to a token above the watermark, out of what happened to all ledgers.
import type { Address } from "../parameters.ts";
import { above, changesOf, knownAbove, type Span, supplyChanges } from "./changes-above.ts";
import type { FactsScope } from "./facts-scope.ts";
import { NO_OVERLAY, type Overlay } from "./overlay.ts";
import type { Above } from "./summed-changes.ts";
import { type Broken, brokenAbove, knownBroken } from "./tokens-above.ts";

/** Changes of `token` in (watermark, block]. */
export async function overlayAt(facts: FactsScope, span: Span, token: Address): Promise<Overlay> {
  if (span.block <= span.watermark) return NO_OVERLAY;
  const all = await above(facts, span);
  return overlayOf(all, await brokenAbove(facts, span), token);
}

/** The same if it is known already. */
export function knownOverlay(index: string, span: Span, token: Address): Overlay | undefined {
  if (span.block <= span.watermark) return NO_OVERLAY;
  const all = knownAbove(index, span);
  const broken = all && knownBroken(index, span);
  return broken && overlayOf(all, broken, token);
}

const overlays = new WeakMap<Above, Map<Address, Overlay>>();

/** One object for as long as the changes are kept, so that what is made of it can be kept with it. */
function overlayOf(all: Above, broken: Broken, token: Address): Overlay {
  const ofTokens = overlays.get(all) ?? new Map<Address, Overlay>();
  overlays.set(all, ofTokens);
  const known = ofTokens.get(token);
  if (known) return known;
  const deltas = changesOf(all, { kind: "erc20", key: token });
  const overlay: Overlay = {
    accounts: [...deltas.keys()] as Address[],
    deltas: [...deltas.values()].map(String),
    supplyDelta: String(supplyChanges(all).get(token) ?? 0n),
    broken: broken.get(token),
  };
  ofTokens.set(token, overlay);
  changed.set(overlay, deltas);
  return overlay;
}

const changed = new WeakMap<Overlay, ReadonlyMap<string, bigint>>();
const NO_CHANGES: ReadonlyMap<string, bigint> = new Map();

/** By account; raw units. */
export const deltasOf = (overlay: Overlay): ReadonlyMap<string, bigint> => changed.get(overlay) ?? NO_CHANGES;
