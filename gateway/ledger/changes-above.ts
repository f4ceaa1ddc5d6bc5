// What happened to all ledgers above the watermark, kept: the watermark and the block's hash decide it. Everything that is
// told of the newest blocks is made of this.
import { EVERY } from "../../core/ledgers/listing.ts";
import { changesOfBlocks, type LedgerAsset, nameOf } from "./block-changes.ts";
import type { FactsScope } from "./facts-scope.ts";
import { followWatermark } from "./follow-watermark.ts";
import { keepAnswers } from "./kept-answers.ts";
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";
import { type Above, type Changes, sumUp } from "./summed-changes.ts";

/** Where changes are told of: a block, and the watermark above which. */
export type Span = Pick<BlockPoint, "block" | "hash" | "watermark">;

const NOTHING_ABOVE: Above = { changes: new Map(), moved: new Set(), extremes: [] };

const kept = keepAnswers<Above>({
  most: 400_000,
  mostAnswers: 40,
  weigh: ({ changes, extremes }) => [...changes.values()].reduce((sum, { size }) => sum + size, 1 + extremes.length),
});

const aboutOf = ({ watermark }: Span): string => `changes above ${watermark}`;

/** In (watermark, block]. */
export function above(facts: FactsScope, span: Span): Promise<Above> | Above {
  if (span.block <= span.watermark) return NOTHING_ABOVE;
  // whoever reads facts has a connection
  const snapshot = { index: facts.index, isOpen: true };
  return kept.of({ snapshot, point: span, about: aboutOf(span) }, () => readAbove(facts, span));
}

/** The same, if it is known already. */
export const knownAbove = (index: string, span: Span): Above | undefined =>
  span.block <= span.watermark ? NOTHING_ABOVE : kept.known({ index, point: span, about: aboutOf(span) });

/** The same. Not to be called inside `withFacts`. */
export async function changesAbove(snapshot: Snapshot, point: BlockPoint): Promise<Changes> {
  const known = knownAbove(snapshot.index, point);
  if (known) return known.changes;
  const read = await kept.of({ snapshot, point, about: aboutOf(point) }, () =>
    snapshot.withFacts((facts) => readAbove(facts, point)),
  );
  return read.changes;
}

async function readAbove(facts: FactsScope, { watermark, block }: Span): Promise<Above> {
  await followWatermark(facts);
  return sumUp(await changesOfBlocks(facts, { after: watermark, upTo: block }));
}

/** What changed in asset `name`, by account. */
export const changesOf = ({ changes }: Above, asset: LedgerAsset): ReadonlyMap<string, bigint> =>
  changes.get(nameOf(asset)) ?? NO_CHANGES;

/** By token; raw units. */
export const supplyChanges = (all: Above): ReadonlyMap<string, bigint> =>
  changesOf(all, { kind: "supply", key: EVERY });

const NO_CHANGES: ReadonlyMap<string, bigint> = new Map();
