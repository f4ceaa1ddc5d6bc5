// Which tokens stop being standard ones above the watermark. The fold judges a token by its amounts at the end of each
// block, and so does this.
import { MAX_AMOUNT } from "../../core/ledgers/additive-ledger.ts";
import type { Address } from "../parameters.ts";
import { assetAmounts } from "./asset-amounts.ts";
import { above, type Span } from "./changes-above.ts";
import type { FactsScope } from "./facts-scope.ts";
import { keepAnswers } from "./kept-answers.ts";
import type { Extremes } from "./summed-changes.ts";

/** By token: why its ledger goes out of range. */
export type Broken = ReadonlyMap<Address, string>;

const NONE: Broken = new Map();

const kept = keepAnswers<Broken>({ most: 100_000, mostAnswers: 100, weigh: ({ size }) => 1 + size });

const aboutOf = ({ watermark }: Span): string => `broken above ${watermark}`;

/** Tokens with an amount or a supply below zero or past 2^256 - 1 at the end of a block in (watermark, block]. */
export async function brokenAbove(facts: FactsScope, span: Span): Promise<Broken> {
  if (span.block <= span.watermark) return NONE;
  const snapshot = { index: facts.index, isOpen: true };
  const { extremes } = await above(facts, span);
  return kept.of({ snapshot, point: span, about: aboutOf(span) }, () => readBroken(facts, span, extremes));
}

/** {@link brokenAbove}, where it is known already. */
export const knownBroken = (index: string, span: Span): Broken | undefined =>
  span.block <= span.watermark ? NONE : kept.known({ index, point: span, about: aboutOf(span) });

async function readBroken(
  { prepared, schemas, index }: FactsScope,
  { watermark }: Span,
  extremes: readonly Extremes[],
): Promise<Broken> {
  const place = { prepared, fold: schemas.fold, index, folded: watermark, watermark };
  const amounts = await assetAmounts(place, extremes);
  const broken = new Map<Address, string>();
  for (const [i, { kind, key, account, low, high }] of extremes.entries()) {
    const amount = amounts[i] ?? 0n;
    const isLow = amount + low < 0n;
    if (!isLow && amount + high <= MAX_AMOUNT) continue;
    const token = (kind === "supply" ? account : key) as Address;
    broken.set(token, `${kind === "supply" ? "supply" : "balance"} ${isLow ? "below zero" : "past 2^256-1"}`);
  }
  return broken;
}
