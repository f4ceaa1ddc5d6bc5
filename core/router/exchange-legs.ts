// How two legs share their common amount, found by trying. Newton's method takes every leg of a shared pool to get the
// pool's last price; in truth the first gets the better part of it. Where such a pool is nearly empty that makes all the
// difference: a thousandth of the amount may be half of what comes through.
import { pushLegs } from "./balance-legs.ts";
import type { DraftLeg } from "./draft-leg.ts";
import type { Flow } from "./flow.ts";

/** Shares are tried as exp(t) : 1. */
const FIRST_STRIDE = 1.5;
const LAST_STRIDE = 0.02;
const FARTHEST = 16;

/** Moves amounts between two legs as long as that helps; what they are worth then, the gas of ticks paid. */
export function exchange(
  flow: Flow,
  { legs, pair, costOfTick }: { legs: readonly DraftLeg[]; pair: readonly [DraftLeg, DraftLeg]; costOfTick: number },
): number {
  const [one, other] = pair;
  const valueNow = (): number => {
    const gross = pushLegs(flow, legs);
    return gross - flow.ticksCrossed() * costOfTick;
  };
  const sum = one.amount + other.amount;
  const shareTo = (t: number): void => {
    other.amount = sum / (1 + Math.exp(t));
    one.amount = sum - other.amount;
  };
  const start: [number, number] = [one.amount, other.amount];
  let best = valueNow();
  let at = Math.max(-FARTHEST, Math.min(FARTHEST, Math.log(one.amount / other.amount)));
  let hasMoved = false;
  for (let stride = FIRST_STRIDE; stride >= LAST_STRIDE; ) {
    const next = [at + stride, at - stride].find((t) => {
      if (Math.abs(t) > FARTHEST) return false;
      shareTo(t);
      const tried = valueNow();
      if (!(tried > best)) return false;
      best = tried;
      return true;
    });
    if (next === undefined) stride *= hasMoved ? 0.4 : 0.2;
    else [at, hasMoved] = [next, true];
  }
  if (hasMoved) shareTo(at);
  else [one.amount, other.amount] = start;
  return best;
}

/** All pairs in turn. */
export function exchangeAll(flow: Flow, legs: readonly DraftLeg[], costOfTick: number): void {
  for (const [i, one] of legs.entries()) {
    for (const other of legs.slice(i + 1)) {
      if (one.amount > 0 && other.amount > 0) exchange(flow, { legs, pair: [one, other], costOfTick });
    }
  }
}
