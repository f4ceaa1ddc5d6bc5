// What pages say about vaults: what they are, and why one of their numbers is unknown.
import type { VaultSetting, VaultsPage } from "../questions/vaults.ts";
import { shortAddress } from "./parts/address.tsx";
import { readable } from "./parts/shown-text.tsx";

export type ShownRecord = VaultsPage["entries"][number]["vault"];
export type StakeRecord = ShownRecord["farms"][number];
export type BaultRecord = ShownRecord["baults"][number];
export type Tokens = VaultSetting["tokens"];

export const KINDS: Readonly<Record<ShownRecord["provider"], string>> = { kodiak: "island", v2: "v2 pair" };

/** What a share is of. */
export const SHARES: Readonly<Record<ShownRecord["provider"] | "bault", string>> = {
  kodiak: "shares of an island",
  v2: "shares of a v2 pair",
  bault: "shares of a bault",
};

/** Why it is unknown what stands behind the shares. */
export const INCOMPLETE: Readonly<Record<NonNullable<ShownRecord["incomplete"]>, string>> = {
  stopped:
    "Stopped: its events contradict each other, so it is unknown what stands behind its shares from there on. See Status.",
  waiting:
    "Waiting: its settings are not read from the chain yet. Its numbers come by themselves once they are. See Status.",
  undetermined:
    "Undetermined: at this block neither its events nor the node give its range or its fee. Before and after, they are known.",
};

/** A token's symbol, or its address where it has none. */
export function symbolIn(tokens: Tokens, token: string): string {
  const symbol = tokens.get(token as `0x${string}`)?.metadata?.symbol;
  return symbol === undefined || symbol.trim() === "" ? shortAddress(token) : readable(symbol, 16);
}

/** Why a number of the vault is not known; undefined where nothing is in the way. */
export function whyUnknown(vault: ShownRecord, tokens: Tokens): string | undefined {
  const { address, incomplete, stopped, unpriced, unread } = vault;
  if (incomplete) return INCOMPLETE[incomplete];
  const takers = stopped.filter((contract) => contract !== address);
  const reasons = [
    ...(stopped.includes(address) ? ["who has its shares is not known, as their ledger is impossible"] : []),
    ...(takers.length > 0 ? [`who has a stake in ${takers.map(shortAddress).join(", ")} is not known`] : []),
    ...(unpriced.length > 0 ? [`no price of ${unpriced.map((token) => symbolIn(tokens, token)).join(", ")}`] : []),
    ...(unread.length > 0 ? [`what ${unread.map(shortAddress).join(", ")} pays is not read from the chain yet`] : []),
  ];
  return reasons.join("; ") || undefined;
}
