// What a position manager's account in a pool has that no token id has a claim to, over a range of blocks.
import { indexAt, merged, type Span, type Step, type Steps, sumOfSpans } from "../../core/averages/steps.ts";
import type { LiquiditySpan } from "../../core/averages/v3/pool-history.ts";
import { notNegative, rangeKey } from "../concentrated/position-worth.ts";
import type { OwnedSpan } from "./v3-rows.ts";

/** Where the manager's account has more liquidity than token ids: anyone may mint to it without one. */
export function ownerlessSpans(managers: readonly OwnedSpan[], all: readonly OwnedSpan[]): LiquiditySpan[] {
  const ranges = new Map<number, { rows: OwnedSpan[]; nfts: OwnedSpan[] }>();
  for (const row of managers) {
    const range = ranges.get(rangeKey(row));
    if (range) range.rows.push(row);
    else ranges.set(rangeKey(row), { rows: [row], nfts: [] });
  }
  for (const span of all) if (span.tokenId !== undefined) ranges.get(rangeKey(span))?.nfts.push(span);
  return [...ranges.values()].flatMap(({ rows, nfts }) => (mayBeMore(rows, nfts) ? ownerlessOf(rows, nfts) : []));
}

/** Whether the manager's account may ever have more; in most ranges it never has. */
function mayBeMore(rows: readonly OwnedSpan[], nfts: readonly OwnedSpan[]): boolean {
  const owned = sumOf(nfts, ({ liquidity }) => liquidity);
  return rows.some((row) => cut(owned, row).some(({ value }) => row.liquidity > value));
}

/**
 * Of one range. Token ids are credited with what their liquidity earned when they are changed, the manager's account whenever
 * the range is: what token ids have not been credited with yet is theirs, too.
 */
function ownerlessOf(rows: readonly OwnedSpan[], nfts: readonly OwnedSpan[]): LiquiditySpan[] {
  const zero = rows[0] as OwnedSpan;
  // growth wraps at 2^256: counted from one row of the range it can be added up
  const paid0 = (span: OwnedSpan) => BigInt.asIntN(256, span.feeGrowthInside0LastX128 - zero.feeGrowthInside0LastX128);
  const paid1 = (span: OwnedSpan) => BigInt.asIntN(256, span.feeGrowthInside1LastX128 - zero.feeGrowthInside1LastX128);
  const sums = merged([
    sumOf(nfts, ({ liquidity }) => liquidity),
    sumOf(nfts, ({ tokensOwed0 }) => tokensOwed0),
    sumOf(nfts, ({ tokensOwed1 }) => tokensOwed1),
    sumOf(nfts, (span) => span.liquidity * paid0(span)),
    sumOf(nfts, (span) => span.liquidity * paid1(span)),
  ]);
  return rows.flatMap((row) =>
    cut(sums, row).flatMap(({ from, until, value: [owned, owed0, owed1, grown0, grown1] }) => {
      const liquidity = row.liquidity - owned;
      if (liquidity <= 0n) return [];
      const tokensOwed0 = notNegative(row.tokensOwed0 - owed0 - ((owned * paid0(row) - grown0) >> 128n));
      const tokensOwed1 = notNegative(row.tokensOwed1 - owed1 - ((owned * paid1(row) - grown1) >> 128n));
      return [{ ...row, from, until, liquidity, tokensOwed0, tokensOwed1 }];
    }),
  );
}

const sumOf = (spans: readonly OwnedSpan[], amountOf: (span: OwnedSpan) => bigint): Steps<bigint> =>
  sumOfSpans(
    0,
    spans.map((span) => ({ from: span.from, until: span.until, amount: amountOf(span) })),
  );

/** The steps that hold within a span, cut to it. */
function cut<T>(steps: Steps<T>, { from, until }: Span): (Span & { value: T })[] {
  const within: (Span & { value: T })[] = [];
  for (let i = Math.max(indexAt(steps, from), 0); (steps[i]?.from ?? until) < until; i++) {
    const { from: since, value } = steps[i] as Step<T>;
    within.push({ from: Math.max(since, from), until: Math.min(steps[i + 1]?.from ?? until, until), value });
  }
  return within;
}
