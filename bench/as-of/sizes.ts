// How large the made-up history is.

export interface Size {
  /** Changes that are drawn; about 2 % are dropped because they change nothing. */
  changes: number;
  blocks: number;
  tokens: number;
  /** Accounts that ever hold the hot token. */
  hotAccounts: number;
  /** Holders of each of the two tokens whose histories differ only in length. */
  steadyHolders: number;
  /** Changes of each of these holders in the short history. */
  steadyChanges: number;
}

/** How many times longer the long history of the two is. */
export const LONGER = 20;

export const sizes: Readonly<Record<string, Size>> = {
  XXS: { changes: 6_000, blocks: 10_000, tokens: 25, hotAccounts: 600, steadyHolders: 50, steadyChanges: 5 },
  XS: { changes: 50_000, blocks: 100_000, tokens: 105, hotAccounts: 4_000, steadyHolders: 200, steadyChanges: 5 },
  S: {
    changes: 1_000_000,
    blocks: 1_000_000,
    tokens: 2_005,
    hotAccounts: 51_000,
    steadyHolders: 2_500,
    steadyChanges: 20,
  },
  M: {
    changes: 10_000_000,
    blocks: 4_000_000,
    tokens: 20_005,
    hotAccounts: 270_000,
    steadyHolders: 10_000,
    steadyChanges: 20,
  },
};

/** Tokens by number: the hot one, and one at most a tenth as large that live blocks change, too. */
export const HOT = 1;
export const WARM = 2;
export const DECIMALS = 18;

/** Blocks that are asked about, as shares of the chain. */
export const moments = { early: 0.15, middle: 0.5, late: 0.95 } as const;
export type Moment = keyof typeof moments;
export const momentNames = Object.keys(moments) as Moment[];
export const blockOf = (moment: Moment, size: Size): number => Math.round(size.blocks * moments[moment]);
