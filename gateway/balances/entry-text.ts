// One account's entry as JSON text, written here. The bytes are those that PostgreSQL would write.
import { toNearestDouble } from "../numbers.ts";
import type { WrittenPart } from "./shared-parts.ts";

/** What an account has in its wallet, raw units, and beyond it. */
export interface EntryParts {
  own: bigint;
  part: WrittenPart | undefined;
}

const written = (account: string, entry: { digits: string; sources: string; expanded: string }): string =>
  `{"account":"${account}","total":${entry.digits},"sources":[${entry.sources}],"expanded":"${entry.expanded}"}`;

/** The JSON object of an account in the REST shape. */
export function entryText(account: string, { own, part }: EntryParts, decimals: number): string {
  if (!part) return own === 0n ? nothing(account) : inWalletAlone(account, String(toNearestDouble(own, decimals)));
  const total = part.amount + own;
  if (total === 0n) return nothing(account);
  if (own === 0n) return written(account, part);
  const wallet = inWallet(String(toNearestDouble(own, decimals)));
  return written(account, {
    digits: String(toNearestDouble(total, decimals)),
    sources: `${wallet.sources},${part.sources}`,
    expanded: `${wallet.expanded}, ${part.expanded}`,
  });
}

const nothing = (account: string): string => written(account, { digits: "0", sources: "", expanded: "" });

const inWalletAlone = (account: string, digits: string): string => written(account, { digits, ...inWallet(digits) });

const inWallet = (digits: string) => ({
  sources: `{"source":"balance","value":${digits}}`,
  expanded: `balance: ${digits}`,
});
