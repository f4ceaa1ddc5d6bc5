// A small fixed index with one of everything: holders below and above the last final block, odd tokens, names without facts.
import type { Index } from "./index-fixture.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "./reference-ledger.ts";

export const PLAIN = tokenOf(1);
/** Appears above the last final block only; has metadata. */
export const YOUNG = tokenOf(2);
/** Tracked, its metadata is not read yet. */
export const UNREAD = tokenOf(3);
/** The contract gives decimals 255. */
export const UNITLESS = tokenOf(4);
/** Quarantined by the fold. */
export const BROKEN = tokenOf(5);
/** Goes below zero above the last final block. */
export const BREAKING = tokenOf(6);
export const UNKNOWN = tokenOf(99);

export const ALICE = accountOf(1);
export const BOB = accountOf(2);
export const CAROL = accountOf(3);

type Move = Pick<Fact, "token" | "to" | "amount"> & Partial<Pick<Fact, "from" | "logIndex">>;

/** Without `from` it mints. */
const transfer = (block: number, move: Move): Fact => ({ kind: "transfer", block, logIndex: 0, from: ZERO, ...move });

const facts: Fact[] = [
  transfer(101, { token: PLAIN, to: ALICE, amount: 3_000_000n }),
  transfer(101, { token: UNREAD, to: ALICE, amount: 7n, logIndex: 1 }),
  transfer(101, { token: UNITLESS, to: ALICE, amount: 8n, logIndex: 2 }),
  transfer(101, { token: BROKEN, to: ALICE, amount: 9n, logIndex: 3 }),
  transfer(101, { token: BREAKING, to: ALICE, amount: 5n, logIndex: 4 }),
  transfer(104, { token: PLAIN, from: ALICE, to: BOB, amount: 1_000_000n }),
  transfer(108, { token: PLAIN, from: BOB, to: CAROL, amount: 1_000_000n }),
  transfer(112, { token: PLAIN, from: ALICE, to: CAROL, amount: 500_001n }),
  transfer(112, { token: YOUNG, to: BOB, amount: 4n, logIndex: 1 }),
  transfer(113, { token: BREAKING, from: BOB, to: ALICE, amount: 1n }),
];

/** Blocks 100 to 115, folded up to 110. */
export const smallIndex: Index = {
  chainId: 31337,
  ponderSchema: "facts_small",
  foldSchema: "fold_small",
  firstBlock: 100,
  head: 115,
  finalized: 110,
  facts,
  decimals: { [PLAIN]: 6, [YOUNG]: 0, [UNITLESS]: null, [BROKEN]: 18, [BREAKING]: 18 },
};

/** What the fold records about BROKEN. */
export const quarantineSql = (index: Index): string => `
  insert into ${index.foldSchema}.quarantine
  select id, 102, 3, key, 'balance below zero' from ${index.foldSchema}.asset
   where kind = 'erc20' and key = decode('${BROKEN.slice(2)}', 'hex')`;
