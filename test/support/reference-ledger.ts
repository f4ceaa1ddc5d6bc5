// ERC-20 bookkeeping the slow, obvious way: the reference that answers are compared with.

export const ZERO = "0x0000000000000000000000000000000000000000";

export interface Fact {
  kind: "transfer" | "deposit" | "withdrawal";
  block: number;
  logIndex: number;
  token: string;
  /** Deposits and withdrawals name their account in `to`. */
  from: string;
  to: string;
  amount: bigint;
}

/** A readable address: `accountOf(7)` is 0x00…07 with a prefix that keeps it apart from the zero address. */
export const accountOf = (n: number): string => `0xaa${n.toString(16).padStart(38, "0")}`;
export const tokenOf = (n: number): string => `0xcc${n.toString(16).padStart(38, "0")}`;

const changesOf = ({ kind, from, to, amount }: Fact): { holder: [string, bigint][]; supply: bigint } => {
  if (kind === "deposit") return { holder: [[to, amount]], supply: amount };
  if (kind === "withdrawal") return { holder: [[to, -amount]], supply: -amount };
  const holder: [string, bigint][] = [];
  if (from === ZERO && to === ZERO) return { holder: [[ZERO, amount]], supply: amount };
  if (from === to) return { holder: [], supply: 0n };
  if (from !== ZERO) holder.push([from, -amount]);
  if (to !== ZERO) holder.push([to, amount]);
  return { holder, supply: (from === ZERO ? amount : 0n) - (to === ZERO ? amount : 0n) };
};

/** Whether a fact makes its token tracked: it moves something, or mints to the zero address. */
export const isChange = (fact: Fact): boolean => changesOf(fact).holder.some(([, delta]) => delta !== 0n);

export interface TokenLedger {
  balances: Map<string, bigint>;
  supply: bigint;
}

/** Balances (zeros dropped) and supply of `token` after the last log of `block`. */
export function ledgerAt(facts: readonly Fact[], token: string, block: number): TokenLedger {
  const balances = new Map<string, bigint>();
  let supply = 0n;
  for (const fact of facts) {
    if (fact.token !== token || fact.block > block) continue;
    const changes = changesOf(fact);
    supply += changes.supply;
    for (const [account, delta] of changes.holder) balances.set(account, (balances.get(account) ?? 0n) + delta);
  }
  for (const [account, amount] of balances) if (amount === 0n) balances.delete(account);
  return { balances, supply };
}

/** Holders as the interface orders them: amount descending, then account; without the zero address. */
export function holdersInOrder({ balances }: TokenLedger): [string, bigint][] {
  return [...balances]
    .filter(([account]) => account !== ZERO)
    .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1));
}

/** Amounts of (asset, account) after each block that changed them, oldest first, up to `finalized`. */
export function historiesOf(
  facts: readonly Fact[],
  finalized: number,
): Map<string, { block: number; amount: bigint }[]> {
  const histories = new Map<string, { block: number; amount: bigint }[]>();
  const change = (key: string, block: number, delta: bigint) => {
    const history = histories.get(key) ?? [];
    histories.set(key, history);
    const last = history.at(-1);
    if (last?.block === block) last.amount += delta;
    else history.push({ block, amount: (last?.amount ?? 0n) + delta });
  };
  for (const fact of facts) {
    if (fact.block > finalized) continue;
    const { holder, supply } = changesOf(fact);
    for (const [account, delta] of holder) change(`${fact.token} ${account}`, fact.block, delta);
    if (supply !== 0n) change(`supply ${fact.token}`, fact.block, supply);
  }
  return histories;
}
