// What an account's tokens were worth, and through what it had them. Shares stand for what is behind them, which the account's
// other tokens count already, so that no sum has them.
import type { AccountBalancesPage } from "../questions/account-balances.ts";
import { type KnownTokens, worthOf } from "./known-tokens.ts";
import type { SourceKind } from "./parts/source-kinds.ts";

export type AccountEntry = AccountBalancesPage["entries"][number];

export interface WorthyEntry extends AccountEntry {
  /** USD × USD_SCALE of all of it; undefined without a price. */
  worth: bigint | undefined;
  /** A share of what other tokens of the account are counted through. */
  isShare: boolean;
}

/** Most valuable first; those without a price last, as they came. */
export function worthiest(entries: readonly AccountEntry[], tokens: KnownTokens): WorthyEntry[] {
  return entries
    .map((entry): WorthyEntry => {
      const known = tokens.get(entry.token.address);
      return { ...entry, worth: worthOf(known, entry.amount), isShare: known?.price?.strategy === "vault" };
    })
    .sort((a, b) => {
      const [left, right] = [a.worth ?? -1n, b.worth ?? -1n];
      return left < right ? 1 : left > right ? -1 : 0;
    });
}

/** What one holding of a token was worth. */
export interface HoldingWorth {
  entry: WorthyEntry;
  source: WorthyEntry["sources"][number];
  worth: bigint;
}

/** One way of holding: what all tokens held so were worth. */
export interface KindWorth {
  kind: SourceKind;
  worth: bigint;
  /** Largest first. */
  holdings: readonly HoldingWorth[];
}

export interface AccountWorth {
  /** USD × USD_SCALE of all that has a price; undefined where it had something and none of it has one. */
  worth: bigint | undefined;
  /** Largest first. */
  kinds: readonly KindWorth[];
  /** Tokens that are not in it for want of a price. */
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
  const unpriced = entries.filter(({ worth }) => worth === undefined).length;
  const isKnown = counted.length > 0 || unpriced === 0;
  return { worth: isKnown ? total(worths) : undefined, kinds: worths.sort(byWorth), unpriced };
}
