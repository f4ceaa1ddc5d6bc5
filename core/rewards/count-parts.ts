// Which of an account's averages count, and how many times.
import { digitsOver, type Multiplier, ONCE } from "./multiplier.ts";

/** What an account had on average in one way. */
export interface AveragePart {
  /** What the holding is to its holder. */
  heldAs: { kind: string; contract: string };
  /** Raw units. */
  amount: bigint;
}

export interface SourceRule {
  kind: string;
  /** Of this one alone, before what is said of all contracts of the kind. */
  contract: string | undefined;
  multiplier: Multiplier;
}

/** Everything once, or what the rules name and nothing else. */
export type Counting = { held: "anywhere" } | { rules: readonly SourceRule[] };

export interface Counted {
  account: string;
  /** Raw units of all parts that count, added up. */
  average: bigint;
  /** The same, each part times its multiplier; over 10^decimals. */
  points: bigint;
}

interface CountedAccounts {
  /** Those of whom something counts, by account. */
  accounts: Counted[];
  /** Places behind the point of all their points. */
  decimals: number;
}

/** A part counts when its multiplier is above zero. */
export function countParts(
  holdings: Iterable<readonly [account: string, parts: readonly AveragePart[]]>,
  counting: Counting,
): CountedAccounts {
  const { digitsOf, decimals } = pointsPerUnit(counting);
  const accounts: Counted[] = [];
  for (const [account, parts] of holdings) {
    const counted: Counted = { account, average: 0n, points: 0n };
    for (const part of parts) {
      const digits = digitsOf(part);
      if (digits === 0n) continue;
      counted.average += part.amount;
      counted.points += part.amount * digits;
    }
    if (counted.points > 0n) accounts.push(counted);
  }
  accounts.sort((a, b) => (a.account < b.account ? -1 : Number(a.account > b.account)));
  return { accounts, decimals };
}

interface PointsPerUnit {
  digitsOf(part: AveragePart): bigint;
  decimals: number;
}

function pointsPerUnit(counting: Counting): PointsPerUnit {
  if ("held" in counting) return { digitsOf: () => ONCE.digits, decimals: ONCE.decimals };
  const { rules } = counting;
  const decimals = Math.max(0, ...rules.map(({ multiplier }) => multiplier.decimals));
  const digits = new Map(rules.map((rule) => [keyOf(rule.kind, rule.contract), digitsOver(rule.multiplier, decimals)]));
  return {
    decimals,
    digitsOf: ({ heldAs: { kind, contract } }) => digits.get(keyOf(kind, contract)) ?? digits.get(keyOf(kind)) ?? 0n,
  };
}

const keyOf = (kind: string, contract = "") => `${kind} ${contract}`;
