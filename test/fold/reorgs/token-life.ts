// Tokens that come into being, move, wrap, and now and then do what no token can.
import { accountOf, tokenOf, ZERO } from "../../support/reference-ledger.ts";
import { MAX_AMOUNT } from "../hostile-facts.ts";
import type { BlockScribe } from "./block-scribe.ts";

/** Who has how much, by token. */
export interface TokenLife {
  balances: Map<string, Map<string, bigint>>;
  /** How many tokens there are. */
  count: number;
}

/** Tokens that pools are of: they are there from the beginning, and nothing impossible happens to them. */
export const POOL_TOKENS = [1, 2, 3, 4].map(tokenOf);
const MOST_TOKENS = 60;

export const newTokenLife = (): TokenLife => ({ balances: new Map(), count: POOL_TOKENS.length });

export const someAccount = ({ random }: BlockScribe): string => accountOf(random.between(1, 10));

const heldOf = (life: TokenLife, token: string): Map<string, bigint> => {
  const held = life.balances.get(token) ?? new Map<string, bigint>();
  life.balances.set(token, held);
  return held;
};

/** As much of what `account` has as one log can name. */
function spendableOf(life: TokenLife, token: string, account: string): bigint {
  const has = heldOf(life, token).get(account) ?? 0n;
  return has > MAX_AMOUNT ? MAX_AMOUNT : has;
}

interface Flow {
  from: string;
  to: string;
  amount: bigint;
}

/** Logs a Transfer, possible or not. */
export function move(life: TokenLife, scribe: BlockScribe, flow: Flow & { token: string }): void {
  const { token, from, to, amount } = flow;
  const held = heldOf(life, token);
  if (from !== ZERO) held.set(from, (held.get(from) ?? 0n) - amount);
  if (to !== ZERO) held.set(to, (held.get(to) ?? 0n) + amount);
  scribe.tell("erc20_transfer", { token, from, to, amount: `${amount}` });
}

/** Pays out of what `from` has, which gets it first. */
export function pay(life: TokenLife, scribe: BlockScribe, flow: Flow & { token: string }): void {
  const { token, from, amount } = flow;
  const missing = amount - (heldOf(life, token).get(from) ?? 0n);
  if (missing > 0n) move(life, scribe, { token, from: ZERO, to: from, amount: missing });
  move(life, scribe, flow);
}

function wrap(life: TokenLife, scribe: BlockScribe, token: string): void {
  const account = someAccount(scribe);
  const held = heldOf(life, token);
  const has = held.get(account) ?? 0n;
  const isOut = has > 0n && scribe.random.chance(0.5);
  const amount = isOut ? (spendableOf(life, token, account) + 1n) / 2n : scribe.random.amount(1n, 10n ** 12n);
  held.set(account, isOut ? has - amount : has + amount);
  scribe.tell(isOut ? "weth9_withdrawal" : "weth9_deposit", { token, account, amount: `${amount}` });
}

/** Once each, or so often that the sum has more than 78 digits. */
const mintedTo = ({ random }: BlockScribe, who: string, other: string): string[] =>
  random.chance(0.5) ? [who, other] : Array.from({ length: 12 }, () => who);

/** Below zero or past the largest amount at the end of the block, or only within it. */
function breakToken(life: TokenLife, scribe: BlockScribe, token: string): void {
  const [who, other] = [someAccount(scribe), someAccount(scribe)];
  const debt = 10n ** 40n;
  const owe = { token, from: who, to: other, amount: debt };
  const way = scribe.random.between(0, 3);
  if (way === 1) scribe.tell("weth9_withdrawal", { token, account: who, amount: `${debt}` });
  else if (way === 2)
    for (const to of mintedTo(scribe, who, other)) move(life, scribe, { token, from: ZERO, to, amount: MAX_AMOUNT });
  else move(life, scribe, owe);
  if (way === 3) move(life, scribe, { ...owe, from: other, to: who });
}

function moveSome(life: TokenLife, scribe: BlockScribe, token: string): void {
  const { random } = scribe;
  const [from, to] = [someAccount(scribe), someAccount(scribe)];
  const has = spendableOf(life, token, from);
  const part = random.chance(0.4) ? has : (has * BigInt(random.between(0, 99))) / 100n;
  const spent = part < 0n ? 0n : part;
  const flows: Flow[] = [
    ...Array.from({ length: 3 }, () => ({ from: ZERO, to, amount: random.amount(1n, 10n ** 20n) })),
    { from: ZERO, to: ZERO, amount: 1_000n },
    { from, to: from, amount: 10n ** 30n },
    { from, to: ZERO, amount: spent },
    ...Array.from({ length: 3 }, () => ({ from, to, amount: spent })),
  ];
  if (random.chance(0.1)) wrap(life, scribe, token);
  else move(life, scribe, { token, ...random.pick(flows) });
}

export function actOnTokens(life: TokenLife, scribe: BlockScribe): void {
  const { random } = scribe;
  if (life.count < MOST_TOKENS && random.chance(0.12)) life.count += 1;
  const number = random.between(1, life.count);
  const isForPools = number <= POOL_TOKENS.length;
  if (!isForPools && random.chance(0.04)) breakToken(life, scribe, tokenOf(number));
  else moveSome(life, scribe, tokenOf(number));
}
