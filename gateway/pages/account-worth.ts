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

/** One way of holding: what all tokens held so were worth. */
export interface KindWorth {
  kind: SourceKind;
  worth: bigint;
  /** Largest first. */
  tokens: readonly { entry: WorthyEntry; amount: bigint; worth: bigint }[];
}

export interface AccountWorth {
  /** USD × USD_SCALE of all that has a price; undefined where it had something and none of it has one. */
  worth: bigint | undefined;
  /** Largest first. */
  kinds: readonly KindWorth[];
  /** Tokens that are not in it for want of a price. */
  unpriced: number;
}

/** Each amount rounded down by itself. */
export function worthByKind(entries: readonly WorthyEntry[], tokens: KnownTokens): AccountWorth {
  const kinds = new Map<SourceKind, { entry: WorthyEntry; amount: bigint; worth: bigint }[]>();
  const counted = entries.filter(({ isShare, worth }) => !isShare && worth !== undefined);
  for (const entry of counted)
    for (const { kind, amount } of entry.sources) {
      const all = kinds.get(kind) ?? [];
      const found = all.find((one) => one.entry === entry);
      if (found) found.amount += amount;
      else all.push({ entry, amount, worth: 0n });
      kinds.set(kind, all);
    }
  const worths = [...kinds].map(([kind, all]): KindWorth => {
    const held = all.map((one) => ({ ...one, worth: worthOf(tokens.get(one.entry.token.address), one.amount) ?? 0n }));
    held.sort((a, b) => (a.worth < b.worth ? 1 : -1));
    return { kind, worth: held.reduce((sum, { worth }) => sum + worth, 0n), tokens: held };
  });
  worths.sort((a, b) => (a.worth < b.worth ? 1 : -1));
  const unpriced = entries.filter(({ worth }) => worth === undefined).length;
  const isKnown = counted.length > 0 || unpriced === 0;
  return { worth: isKnown ? worths.reduce((sum, { worth }) => sum + worth, 0n) : undefined, kinds: worths, unpriced };
}
