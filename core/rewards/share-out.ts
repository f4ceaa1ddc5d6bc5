// A budget shared out by points: exact shares, a limit for each account, and a rule for what division leaves over.
import type { Counted } from "./count-parts.ts";

export interface SharingRules {
  /** Raw units of the reward token, above zero. */
  budget: bigint;
  excluded: ReadonlySet<string>;
  /** Raw units that an account must have had on average, before multipliers. */
  minimum: bigint;
  /** Raw units of reward that no account gets more than; undefined: no such limit. */
  most: bigint | undefined;
  /** Who gets what is left over; undefined: one unit each to the largest fractions that were rounded down. */
  treasury: string | undefined;
}

export interface Reward extends Counted {
  /** Raw units of the reward token. */
  amount: bigint;
}

export interface SharedOut {
  /** Largest first, then by account; the treasury is one of them. Amounts of zero are those of shares below one unit. */
  rewards: Reward[];
  /** The points of all that qualify. */
  points: bigint;
  /** How many qualify. */
  qualified: number;
  /** What nobody gets: all of it where nobody qualifies, or what the limit for each account leaves without a treasury. */
  left: bigint;
}

/**
 * Σ amounts + `left` = the budget. An account that reaches the limit `most` gets that, and the others share what is left by their
 * points; each share is rounded down once.
 */
export function shareOut(counted: readonly Counted[], rules: SharingRules): SharedOut {
  const qualified = counted.filter(
    ({ account, average, points }) => points > 0n && average >= rules.minimum && !rules.excluded.has(account),
  );
  const points = sum(qualified.map((one) => one.points));
  if (qualified.length === 0) return { rewards: [], points, qualified: 0, left: rules.budget };
  const { capped, sharing, budget } = splitByMost(qualified, rules);
  const shares = roundDown(sharing, budget);
  let left = budget - sum(shares.map(({ amount }) => amount));
  if (rules.treasury === undefined && shares.length > 0) {
    giveUnits(shares, left);
    left = 0n;
  }
  const rewards: Reward[] = [...capped, ...shares.map(({ counted: one, amount }) => ({ ...one, amount }))];
  if (rules.treasury !== undefined && left > 0n) {
    giveTreasury(rewards, rules.treasury, left);
    left = 0n;
  }
  return { rewards: rewards.sort(byAmount), points, qualified: qualified.length, left };
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

interface Split {
  /** They get the most. */
  capped: Reward[];
  sharing: Counted[];
  /** What is left for those that share. */
  budget: bigint;
}

/** Takes out accounts with the most points first, since each one that is taken out leaves more for the others. */
function splitByMost(qualified: readonly Counted[], { budget: whole, most }: SharingRules): Split {
  if (most === undefined) return { capped: [], sharing: [...qualified], budget: whole };
  const ranked = [...qualified].sort((a, b) => byPoints(a, b));
  let [budget, points, taken] = [whole, sum(ranked.map((one) => one.points)), 0];
  for (const one of ranked) {
    if (one.points * budget <= most * points) break;
    budget -= most;
    points -= one.points;
    taken++;
  }
  const capped = ranked.slice(0, taken).map((one) => ({ ...one, amount: most }));
  return { capped, sharing: ranked.slice(taken), budget };
}

interface Share {
  counted: Counted;
  amount: bigint;
  /** What was rounded away, over the points of all that share. */
  fraction: bigint;
}

function roundDown(sharing: readonly Counted[], budget: bigint): Share[] {
  const points = sum(sharing.map((one) => one.points));
  return sharing.map((counted) => {
    const exact = counted.points * budget;
    return { counted, amount: exact / points, fraction: exact % points };
  });
}

/** The fractions add up to `units`, so that more of them are above zero than there are units: nobody passes the most by one. */
function giveUnits(shares: readonly Share[], units: bigint): void {
  const ranked = [...shares].sort((a, b) => {
    if (a.fraction !== b.fraction) return a.fraction > b.fraction ? -1 : 1;
    return byAccount(a.counted, b.counted);
  });
  for (const share of ranked.slice(0, Number(units))) share.amount += 1n;
}

function giveTreasury(rewards: Reward[], treasury: string, left: bigint): void {
  const own = rewards.find(({ account }) => account === treasury);
  if (own) own.amount += left;
  else rewards.push({ account: treasury, average: 0n, points: 0n, amount: left });
}

const byAccount = (a: Counted, b: Counted): number => (a.account < b.account ? -1 : Number(a.account > b.account));

function byPoints(a: Counted, b: Counted): number {
  if (a.points !== b.points) return a.points > b.points ? -1 : 1;
  return byAccount(a, b);
}

function byAmount(a: Reward, b: Reward): number {
  if (a.amount !== b.amount) return a.amount > b.amount ? -1 : 1;
  return byAccount(a, b);
}
