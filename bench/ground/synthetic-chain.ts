// A made-up chain of ERC-20 transfers, the same for the same size: the events, and the balances they must add up to.
import { createHash } from "node:crypto";

export type Hex = `0x${string}`;

export interface Transfer {
  token: number;
  /** Index of an account; 0 is the zero address. */
  from: number;
  to: number;
  amount: bigint;
}

export interface ChainShape {
  /** Transfers in the part that is backfilled. */
  events: number;
  transfersPerBlock: number;
  /** Empty blocks after the backfilled part: as many as it takes to make it final. */
  emptyBlocks: number;
  transfersPerLiveBlock: number;
  tokens: number;
  accounts: number;
}

const GENESIS_TIMESTAMP = 1_700_000_000;
const SECONDS_PER_BLOCK = 2;
/** Pools and routers: part of most transfers. */
const HOT_ACCOUNTS = 40;
/** Transfers that share one transaction: a swap or a deposit moves two tokens. */
export const TRANSFERS_PER_TRANSACTION = 2;

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const word = (value: number): string => value.toString(16).padStart(8, "0");

/** The block's number is part of its hash, so that a block can be found by its hash. */
export const blockHash = (number: number): Hex => `0x${word(number)}${sha(`block ${number}`).slice(8)}`;
export const blockOfHash = (hash: string): number => Number.parseInt(hash.slice(2, 10), 16);
export const transactionHash = (block: number, index: number): Hex =>
  `0x${word(block)}${word(index)}${sha(`transaction ${block} ${index}`).slice(16)}`;
export const indexOfTransaction = (hash: string): number => Number.parseInt(hash.slice(10, 18), 16);
export const timestampOf = (block: number): number => GENESIS_TIMESTAMP + block * SECONDS_PER_BLOCK;

/** mulberry32: a small generator with a full period of 2^32. https://github.com/bryc/code/blob/master/jshash/PRNGs.md */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface SyntheticChain {
  shape: ChainShape;
  tokenAddresses: readonly Hex[];
  /** Index 0 is the zero address. */
  accountAddresses: readonly Hex[];
  /** Last block of the part that is backfilled. */
  lastFinal: number;
  /** The head while only the backfilled part and its empty blocks exist. */
  baseHead: number;
  transfersOf(block: number): readonly Transfer[];
  /** Balances after every block up to `block`, one map per token from account index to a positive amount. */
  balancesAt(block: number): Map<number, bigint>[];
}

/**
 * Traffic as on a chain of swaps and payments: a few tokens and accounts (pools, routers) have most of it, most
 * receivers already hold the token, 3 % of the events mint, 2 % burn, a sixth of the rest empties the sender, and
 * nobody ever spends more than they have. There are a fifth as many (token, account) pairs as events.
 */
export function createSyntheticChain(shape: ChainShape): SyntheticChain {
  const random = mulberry32(20_231);
  const below = (n: number) => Math.floor(n * random());
  const skewed = (n: number, power: number) => Math.floor(n * random() ** power);
  const tokenAddresses = Array.from({ length: shape.tokens }, (_, i): Hex => `0x${sha(`token ${i}`).slice(0, 40)}`);
  const accountAddresses = Array.from(
    { length: shape.accounts + 1 },
    (_, i): Hex => `0x${i === 0 ? "0".repeat(40) : sha(`account ${i}`).slice(0, 40)}`,
  );
  const lastFinal = Math.ceil(shape.events / shape.transfersPerBlock);
  const baseHead = lastFinal + shape.emptyBlocks;
  const blocks: (readonly Transfer[])[] = [[]];
  const balances = tokenAddresses.map(() => new Map<number, bigint>());
  /** Accounts that received a token, to draw from; one that left and came back is in the list again. */
  const receivers = tokenAddresses.map((): number[] => []);

  const fraction = (amount: bigint): bigint => (amount * BigInt(1 + below(65_535))) >> 16n;
  const receiver = (earlier: readonly number[]): number => {
    const kind = random();
    if (kind < 0.4) return 1 + skewed(HOT_ACCOUNTS, 2);
    if (kind < 0.75) return earlier[below(earlier.length)] ?? 1;
    return 1 + skewed(shape.accounts, 1.5);
  };
  const sender = (held: ReadonlyMap<number, bigint>, earlier: readonly number[]): number => {
    for (let tries = 0; tries < 8; tries++) {
      const account = random() < 0.4 ? 1 + skewed(HOT_ACCOUNTS, 2) : (earlier[below(earlier.length)] ?? 0);
      if (held.has(account)) return account;
    }
    return 0;
  };
  const draw = (): Transfer => {
    const token = skewed(shape.tokens, 2);
    const held = balances[token] ?? new Map<number, bigint>();
    const earlier = receivers[token] ?? [];
    const to = receiver(earlier);
    const kind = random();
    const from = kind < 0.03 ? 0 : sender(held, earlier);
    // Twenty-odd random digits, as amounts of 18 decimals have.
    if (from === 0) return { token, from, to, amount: BigInt(1 + below(2 ** 31)) * 0x9e3779b97f4a7c15n };
    const balance = held.get(from) ?? 0n;
    const amount = from > HOT_ACCOUNTS && random() < 0.17 ? balance : fraction(balance) || balance;
    return { token, from, to: kind < 0.05 ? 0 : to, amount };
  };
  const countIn = (block: number): number => {
    if (block > baseHead) return shape.transfersPerLiveBlock;
    if (block > lastFinal) return 0;
    return Math.min(shape.transfersPerBlock, shape.events - (block - 1) * shape.transfersPerBlock);
  };
  const happen = (): Transfer => {
    const transfer = draw();
    const { token, to } = transfer;
    if (to !== 0 && balances[token]?.has(to) === false) receivers[token]?.push(to);
    move(balances[token], transfer);
    return transfer;
  };
  const extendTo = (block: number) => {
    while (blocks.length <= block) blocks.push(Array.from({ length: countIn(blocks.length) }, happen));
  };

  return {
    shape,
    tokenAddresses,
    accountAddresses,
    lastFinal,
    baseHead,
    transfersOf(block) {
      extendTo(block);
      return blocks[block] ?? [];
    },
    balancesAt(block) {
      extendTo(block);
      const at = tokenAddresses.map(() => new Map<number, bigint>());
      for (const transfers of blocks.slice(0, block + 1))
        for (const transfer of transfers) move(at[transfer.token], transfer);
      return at;
    },
  };
}

function move(held: Map<number, bigint> | undefined, { from, to, amount }: Transfer): void {
  if (!held) return;
  const add = (account: number, delta: bigint) => {
    if (account === 0) return;
    const next = (held.get(account) ?? 0n) + delta;
    if (next === 0n) held.delete(account);
    else held.set(account, next);
  };
  add(from, -amount);
  add(to, amount);
}
