// Random histories with a few impossible facts mixed in, and plain arithmetic that says which token breaks first, and where.
import fc from "fast-check";
import { randomFacts } from "../support/random-ledger.ts";
import { accountOf, type Fact, ZERO } from "../support/reference-ledger.ts";

export const MAX_AMOUNT = (1n << 256n) - 1n;

interface Injection {
  position: number;
  token: number;
  kind: "spend" | "withdraw" | "mint-max" | "mint-max-twice" | "mint-max-often" | "passing-debt" | "nothing";
  account: number;
}

function injected(
  facts: readonly Fact[],
  { position, token, kind, account }: Injection,
  tokens: readonly string[],
): Fact[] {
  const block = facts[position % facts.length]?.block ?? 0;
  const logIndex = 1_000 + position;
  const fact = { block, token: tokens[token % tokens.length] ?? "", kind: "transfer" as const };
  const [who, other] = [accountOf(account), accountOf((account % 12) + 1)];
  const mint = (index: number): Fact => ({ ...fact, logIndex: index, from: ZERO, to: who, amount: MAX_AMOUNT });
  switch (kind) {
    case "spend":
      return [{ ...fact, logIndex, from: who, to: other, amount: 10n ** 40n }];
    case "withdraw":
      return [{ ...fact, logIndex, kind: "withdrawal", from: ZERO, to: who, amount: 10n ** 40n }];
    case "mint-max":
      return [mint(logIndex)];
    case "mint-max-twice":
      return [mint(logIndex), mint(logIndex + 20_000)];
    case "mint-max-often":
      // more than fits into 78 digits
      return Array.from({ length: 12 }, (_, i) => mint(logIndex + 20_000 * i));
    case "passing-debt":
      // Below zero between two logs of one block, never at its end: no reason to doubt the token.
      return [
        { ...fact, logIndex, from: who, to: other, amount: 10n ** 40n },
        { ...fact, logIndex: logIndex + 20_000, from: other, to: who, amount: 10n ** 40n },
      ];
    default:
      return [];
  }
}

export const hostileFacts = (tokens: readonly string[]): fc.Arbitrary<Fact[]> => {
  const injection = fc.record({
    position: fc.integer({ min: 0, max: 150 }),
    token: fc.integer({ min: 0, max: 5 }),
    kind: fc.constantFrom<Injection["kind"][]>(
      "spend",
      "withdraw",
      "mint-max",
      "mint-max-twice",
      "mint-max-often",
      "passing-debt",
      "nothing",
      "nothing",
    ),
    account: fc.integer({ min: 1, max: 12 }),
  });
  const injections = fc.uniqueArray(injection, { maxLength: 3, selector: ({ position }) => position });
  return fc.tuple(randomFacts(tokens, 1), injections).map(([facts, list]) => {
    if (facts.length === 0) return [];
    const all = [...facts, ...list.flatMap((one) => injected(facts, one, tokens))];
    return all.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
  });
};

interface Change {
  block: number;
  logIndex: number;
  delta: bigint;
}

export interface Breakage {
  block: number;
  logIndex: number;
  /** The token itself when it is the supply that broke. */
  account: string;
  reason: string;
}

/** Changes of one token per account, its own address standing for the supply. */
function changesOf(facts: readonly Fact[], token: string): Map<string, Change[]> {
  const changes = new Map<string, Change[]>();
  const add = (account: string, { block, logIndex }: Fact, delta: bigint) => {
    const list = changes.get(account) ?? [];
    changes.set(account, list);
    list.push({ block, logIndex, delta });
  };
  const transfer = (fact: Fact) => {
    const { from, to, amount } = fact;
    if (from === to && from !== ZERO) return;
    if (from !== ZERO) add(from, fact, -amount);
    else add(token, fact, amount);
    if (to !== ZERO || from === ZERO) add(to, fact, amount);
    else add(token, fact, -amount);
  };
  for (const fact of facts.filter((candidate) => candidate.token === token)) {
    const { kind, to, amount } = fact;
    if (kind === "transfer") {
      transfer(fact);
      continue;
    }
    const delta = kind === "deposit" ? amount : -amount;
    add(to, fact, delta);
    add(token, fact, delta);
  }
  return changes;
}

const isOut = (amount: bigint): boolean => amount < 0n || amount > MAX_AMOUNT;

/** When an account first ends a block out of range, and the log of that block that put it there. */
function firstBreak(
  changes: readonly Change[],
): (Omit<Breakage, "account" | "reason"> & { amount: bigint }) | undefined {
  const blocks = [...new Set(changes.map(({ block }) => block))];
  for (const block of blocks) {
    const upTo = changes.filter((change) => change.block <= block);
    const amount = upTo.reduce((sum, { delta }) => sum + delta, 0n);
    if (!isOut(amount)) continue;
    let running = changes.filter((change) => change.block < block).reduce((sum, { delta }) => sum + delta, 0n);
    for (const { logIndex, delta } of changes.filter((change) => change.block === block)) {
      running += delta;
      if (isOut(running) && running < 0n === amount < 0n) return { block, logIndex, amount };
    }
  }
  return undefined;
}

/** Where the token stops being a standard one: the earliest block, then log, then balances before the supply. */
export function breakageOf(facts: readonly Fact[], token: string): Breakage | undefined {
  const found = [...changesOf(facts, token)].flatMap(([account, changes]) => {
    const broken = firstBreak(changes);
    if (!broken) return [];
    const isSupply = account === token;
    const reason = `${isSupply ? "supply" : "balance"} ${broken.amount < 0n ? "below zero" : "past 2^256-1"}`;
    return [{ block: broken.block, logIndex: broken.logIndex, account, isSupply, reason }];
  });
  found.sort(
    (a, b) =>
      a.block - b.block ||
      a.logIndex - b.logIndex ||
      Number(a.isSupply) - Number(b.isSupply) ||
      (a.account < b.account ? -1 : 1),
  );
  const [first] = found;
  return first && { block: first.block, logIndex: first.logIndex, account: first.account, reason: first.reason };
}
