// Accounts' entries as JSON text, written here. The bytes are those that PostgreSQL would write.
import type { Part } from "../../core/lookthrough/attribute.ts";
import { nearestDoublesOf, toNearestDouble } from "../numbers.ts";
import { type SourceText, sourceText, type Writing } from "./source-text.ts";

/** What an account has, raw units. */
export interface Holding {
  account: string;
  /** In its wallet. */
  own: bigint;
  /** Beyond it. */
  parts: readonly Part[];
  /** All of it. */
  amount: bigint;
}

const written = (account: string, digits: string, { sources, expanded }: SourceText): string =>
  `{"account":"${account}","total":${digits},"sources":[${sources}],"expanded":"${expanded}"}`;

/** The JSON objects of accounts in the REST shape, in their order. */
export function entryTexts(holdings: readonly Holding[], writing: Writing): string[] {
  const totals = nearestDoublesOf(
    holdings.map(({ amount }) => amount),
    writing.decimals,
  );
  return holdings.map((holding, i) => entryText(holding, totals[i] as string, writing));
}

function entryText({ account, own, parts }: Holding, digits: string, writing: Writing): string {
  if (parts.length === 0) return walletEntryText(account, digits);
  if (own === 0n) return written(account, digits, sourceText(parts, writing, digits));
  const wallet = ofWallet(String(toNearestDouble(own, writing.decimals)));
  const beyond = sourceText(parts, writing);
  return written(account, digits, {
    sources: `${wallet.sources},${beyond.sources}`,
    expanded: `${wallet.expanded}, ${beyond.expanded}`,
  });
}

/**
 * The same for an account that has nothing beyond the `digits` in its wallet. Most entries of long lists are like that, so the
 * text is spelled out here: through `written` a list takes an eighth longer.
 */
export const walletEntryText = (account: string, digits: string): string =>
  digits === "0"
    ? nothing(account)
    : `{"account":"${account}","total":${digits},"sources":[{"source":"balance","value":${digits}}],"expanded":"balance: ${digits}"}`;

/** Of {@link walletEntryText} with a comma: three doubles of at most 24 characters, and 131 others. */
export const MOST_ENTRY_BYTES = 240;

const nothing = (account: string): string => written(account, "0", { sources: "", expanded: "" });

const ofWallet = (digits: string): SourceText => ({
  sources: `{"source":"balance","value":${digits}}`,
  expanded: `balance: ${digits}`,
});
