// What happened to all ledgers above the watermark, kept: the watermark and the block's hash decide it. Everything that is
// told of the newest blocks is made of this.
import { EVERY } from "../../core/ledgers/listing.ts";
import type { Address } from "../parameters.ts";
import { type Change, changesOfBlocks, type LedgerAsset } from "./block-changes.ts";
import type { FactsScope } from "./facts-scope.ts";
import { keepAnswers } from "./kept-answers.ts";
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";

/** By asset and account; raw units, never zero. */
export type Changes = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** The furthest that the sum of changes went at the end of a block, raw units: below zero where it only fell. */
export interface Extremes extends LedgerAsset {
  account: string;
  low: bigint;
  high: bigint;
}

export interface Above {
  changes: Changes;
  /** Tokens with an event, even where nothing came of it. */
  moved: ReadonlySet<Address>;
  /** Of balances and supplies. */
  extremes: readonly Extremes[];
}

/** Where changes are told of: a block, and the watermark above which. */
export type Span = Pick<BlockPoint, "block" | "hash" | "watermark">;

export const nameOf = ({ kind, key }: LedgerAsset): string => `${kind} ${key}`;

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

const readAbove = async (facts: FactsScope, { watermark, block }: Span): Promise<Above> =>
  sumUp(await changesOfBlocks(facts, { after: watermark, upTo: block }));

/** What changed in asset `name`, by account. */
export const changesOf = ({ changes }: Above, asset: LedgerAsset): ReadonlyMap<string, bigint> =>
  changes.get(nameOf(asset)) ?? NO_CHANGES;

/** By token; raw units. */
export const supplyChanges = (all: Above): ReadonlyMap<string, bigint> =>
  changesOf(all, { kind: "supply", key: EVERY });

const NO_CHANGES: ReadonlyMap<string, bigint> = new Map();

interface Sum extends Extremes {
  sum: bigint;
}

/** `changes` of one block after the other. */
export function sumUp(changes: readonly Change[]): Above {
  const sums = new Map<string, Map<string, Sum>>();
  const moved = new Set<Address>();
  for (const { kind, key, account, delta } of changes) {
    if (kind === "erc20") moved.add(key as Address);
    const name = nameOf({ kind, key });
    const ofAsset = sums.get(name) ?? new Map<string, Sum>();
    sums.set(name, ofAsset);
    const before = ofAsset.get(account);
    if (!before) ofAsset.set(account, { kind, key, account, sum: delta, low: delta, high: delta });
    else add(before, delta);
  }
  const net = [...sums].map(([name, ofAsset]): [string, Map<string, bigint>] => [
    name,
    new Map([...ofAsset].flatMap(([account, { sum }]) => (sum === 0n ? [] : [[account, sum]]))),
  ]);
  return {
    changes: new Map(net.filter(([, { size }]) => size > 0)),
    moved,
    extremes: [...sums.values()]
      .flatMap((ofAsset) => [...ofAsset.values()])
      .filter(({ kind }) => kind === "erc20" || kind === "supply")
      .map(({ sum: _, ...extremes }) => extremes),
  };
}

function add(to: Sum, delta: bigint): void {
  to.sum += delta;
  if (to.sum < to.low) to.low = to.sum;
  if (to.sum > to.high) to.high = to.sum;
}
