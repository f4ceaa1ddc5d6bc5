// Ways of holding a token, in words and in colours that are the same on every page.
import type { BalanceEntry } from "../../questions/balances.ts";
import type { ShareKind } from "./nested-shares.tsx";

/** As answers name it. */
export type SourceKind = BalanceEntry["sources"][number]["kind"];

interface WayOfHolding {
  name: string;
  colour: ShareKind;
}

export const waysOfHolding: Readonly<Record<SourceKind, WayOfHolding>> = {
  balance: { name: "wallet", colour: "wallet" },
  "v2-pool": { name: "v2 pair", colour: "pool" },
  "v3-position": { name: "v3 position", colour: "position" },
  island: { name: "island", colour: "island" },
  reward_vault: { name: "reward vault", colour: "vault" },
  external_vaults: { name: "other vault", colour: "vault" },
  farm: { name: "farm", colour: "farm" },
};

export interface PlaceOfTokens {
  name: string;
  colour: ShareKind;
  kinds: readonly SourceKind[];
}

/** Where a token sits, from the outside. */
export const placesOfTokens: readonly PlaceOfTokens[] = [
  { name: "Wallets", colour: "wallet", kinds: ["balance"] },
  { name: "Pools", colour: "pool", kinds: ["v2-pool", "v3-position"] },
  { name: "Islands", colour: "island", kinds: ["island"] },
  { name: "Vaults", colour: "vault", kinds: ["reward_vault", "external_vaults"] },
  { name: "Farms", colour: "farm", kinds: ["farm"] },
];

/** Why a part cannot be attributed to any account, by the reason in answers. */
export const reasonWords: Readonly<Record<string, string>> = {
  "protocol-fee": "fees of a pool's protocol, not collected yet",
  "manager-fee": "fees of a manager, not collected yet",
  rewards: "rewards that nobody has claimed yet",
  incentives: "incentives that are not paid out yet",
  "launch-curve": "not sold yet by a launch curve",
  "zero-address": "at the zero address",
  stray: "held by a contract that is not there to hold it",
  cycle: "held by a contract through its own shares",
  rounding: "left over by divisions",
  stopped: "held by a contract whose events do not fit together: see Status",
  waiting: "held by an island that has not been read from the chain yet: see Status",
  undetermined: "held by an island whose state at this block is unknown: see Status",
};
