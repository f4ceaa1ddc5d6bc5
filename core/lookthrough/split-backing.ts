// How what an issuer holds of one asset divides into claims, reserves and what is over.
import type { Backing, Claim, UnattributedReason } from "./backing.ts";
import { type Fraction, ONE } from "./fraction.ts";

export interface SplitBacking {
  /** Amounts above zero, before `scale`. */
  claims: readonly Claim[];
  remainders: readonly { reason: UnattributedReason; amount: bigint }[];
  /** The part of every amount that is really there: below one when more is owed than held. */
  scale: Fraction;
  /** Owed beyond what is held. */
  shortfall: bigint;
}

/** Claims and remainders, times `scale`, sum up to `held`. */
export function splitBacking(backing: Backing, held: bigint): SplitBacking {
  const claims = backing.claims.filter(({ amount }) => amount > 0n);
  const reserves = backing.reserves.filter(({ amount }) => amount > 0n);
  const owed = [...claims, ...reserves].reduce((sum, { amount }) => sum + amount, 0n);
  if (owed > held)
    return {
      claims,
      remainders: reserves,
      scale: { numerator: held, denominator: owed },
      shortfall: owed - held,
    };
  const over = overOf(backing, { owed, held }).filter(({ amount }) => amount > 0n);
  return { claims, remainders: [...reserves, ...over], scale: ONE, shortfall: 0n };
}

function overOf(
  { expected, remainder }: Backing,
  { owed, held }: { owed: bigint; held: bigint },
): { reason: UnattributedReason; amount: bigint }[] {
  if (remainder) return [{ reason: remainder, amount: held - owed }];
  if (expected === undefined) return [{ reason: "stray", amount: held - owed }];
  // fees on transfer can leave less than the events say: then nothing is stray
  const accounted = expected < owed ? owed : expected > held ? held : expected;
  return [
    { reason: "rounding", amount: accounted - owed },
    { reason: "stray", amount: held - accounted },
  ];
}
