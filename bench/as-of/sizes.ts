// How large the made-up history is.

export interface Size {
  /** Drawn; about 2 % fall away because they change nothing. */
  changes: number;
  blocks: number;
  tokens: number;
  /** Accounts that ever hold the hot token. */
  hotAccounts: number;
  /** Holders of the pair of tokens whose histories differ in length alone. */
  steadyHolders: number;
  /** Changes of each of them in the short history, and how many times longer the long one is. */
  steadyChanges: number;
}

/** Times the short history of the pair. */
export const LONGER = 20;

export const sizes: Readonly<Record<string, Size>> = {
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

/** The tokens by number: the hot one, and one a tenth of it or smaller that live blocks change too. */
export const HOT = 1;
export const WARM = 2;
export const DECIMALS = 18;

/** Shares of the chain that are asked. */
export const moments = { early: 0.15, middle: 0.5, late: 0.95 } as const;
export type Moment = keyof typeof moments;
export const momentNames = Object.keys(moments) as Moment[];
export const blockOf = (moment: Moment, size: Size): number => Math.round(size.blocks * moments[moment]);
