// Accounts' entries as JSON text, written here. The bytes are those that PostgreSQL would write.
import { nearestDoublesOf, toNearestDouble } from "../numbers.ts";
import type { WrittenPart } from "./shared-parts.ts";

/** What an account has in its wallet, raw units, and beyond it. */
export interface Holding {
  account: string;
  own: bigint;
  part: WrittenPart | undefined;
}

const written = (account: string, entry: { digits: string; sources: string; expanded: string }): string =>
  `{"account":"${account}","total":${entry.digits},"sources":[${entry.sources}],"expanded":"${entry.expanded}"}`;

/** The JSON objects of accounts in the REST shape, in their order. */
export function entryTexts(holdings: readonly Holding[], decimals: number): string[] {
  const inWallets = nearestDoublesOf(
    holdings.map(({ own }) => own),
    decimals,
  );
  return holdings.map((holding, i) => entryText(holding, inWallets[i] as string, decimals));
}

function entryText({ account, own, part }: Holding, inWallet: string, decimals: number): string {
  if (!part) return walletEntryText(account, inWallet);
  const total = part.amount + own;
  if (total === 0n) return nothing(account);
  if (own === 0n) return written(account, part);
  const wallet = ofWallet(inWallet);
  return written(account, {
    digits: String(toNearestDouble(total, decimals)),
    sources: `${wallet.sources},${part.sources}`,
    expanded: `${wallet.expanded}, ${part.expanded}`,
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

const nothing = (account: string): string => written(account, { digits: "0", sources: "", expanded: "" });

const ofWallet = (digits: string) => ({
  sources: `{"source":"balance","value":${digits}}`,
  expanded: `balance: ${digits}`,
});
