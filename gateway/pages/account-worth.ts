// What an account's tokens were worth, and through what it had them. Sums leave out shares: what is behind them is counted
// with the account's other tokens already.
import type { AccountBalancesPage } from "../questions/account-balances.ts";
import { type KnownToken, type KnownTokens, worthOf } from "./known-tokens.ts";
import type { SourceKind } from "./parts/source-kinds.ts";

export type AccountEntry = AccountBalancesPage["entries"][number];

export interface WorthyEntry extends AccountEntry {
  /** USD × 10^36 of all of it; undefined without a price. */
  worth: bigint | undefined;
  /** A share, with a price or without one, of what the account's other tokens count. */
  isShare: boolean;
}

/** Most valuable first; those without a price last, as they came. */
export function worthiest(entries: readonly AccountEntry[], tokens: KnownTokens): WorthyEntry[] {
  const had = new Set(entries.map(({ token }) => token.address));
  return entries
    .map((entry): WorthyEntry => {
      const known = tokens.get(entry.token.address);
      return { ...entry, worth: worthOf(known, entry.amount), isShare: isCountedThrough(known, had) };
    })
    .sort((a, b) => {
      const [left, right] = [a.worth ?? -1n, b.worth ?? -1n];
      return left < right ? 1 : left > right ? -1 : 0;
    });
}

/** What one holding of a token was worth. */
interface HoldingWorth {
  entry: WorthyEntry;
  source: WorthyEntry["sources"][number];
  worth: bigint;
}

/** One way of holding: what all tokens held so were worth. */
interface KindWorth {
  kind: SourceKind;
  worth: bigint;
  /** Largest first. */
  holdings: readonly HoldingWorth[];
}

/**
 * Whether `known` is a share of what is among the tokens that the account `had`. What is behind one without a price has
 * to be there as a whole: a quarantined token is not.
 */
function isCountedThrough(known: KnownToken | undefined, had: ReadonlySet<string>): boolean {
  const behind = known?.behind ?? [];
  if (known?.price === undefined) return behind.length > 0 && behind.every((token) => had.has(token));
  return behind.some((token) => had.has(token));
}

export interface AccountWorth {
  /** USD × 10^36 of all that has a price; undefined where it had something and none of it has one. */
  worth: bigint | undefined;
  /** Largest first. */
  kinds: readonly KindWorth[];
  /** Tokens that are missing in it as they have no price; without shares of what is counted. */
  unpriced: number;
}

const byWorth = (a: { worth: bigint }, b: { worth: bigint }): number => (a.worth < b.worth ? 1 : -1);
const total = (all: readonly { worth: bigint }[]): bigint => all.reduce((sum, { worth }) => sum + worth, 0n);

/** Each holding rounded down by itself. */
export function worthByKind(entries: readonly WorthyEntry[], tokens: KnownTokens): AccountWorth {
  const kinds = new Map<SourceKind, HoldingWorth[]>();
  const counted = entries.filter(({ isShare, worth }) => !isShare && worth !== undefined);
  for (const entry of counted)
    for (const source of entry.sources) {
      const worth = worthOf(tokens.get(entry.token.address), source.amount) ?? 0n;
      kinds.set(source.kind, [...(kinds.get(source.kind) ?? []), { entry, source, worth }]);
    }
  const worths = [...kinds].map(
    ([kind, all]): KindWorth => ({
      kind,
      worth: total(all),
      holdings: all.sort(byWorth),
    }),
  );
  const unpriced = entries.filter(({ isShare, worth }) => !isShare && worth === undefined).length;
  const isKnown = counted.length > 0 || unpriced === 0;
  return { worth: isKnown ? total(worths) : undefined, kinds: worths.sort(byWorth), unpriced };
}
