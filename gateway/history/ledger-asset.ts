// How an asset of the ledgers is named: its kind, and the token or contract that it is of.

/** `key` is a token's or contract's address; `0x` for all that a kind lists. */
export interface LedgerAsset {
  kind: string;
  key: string;
}

export const nameOf = ({ kind, key }: LedgerAsset): string => `${kind} ${key}`;
