// Contracts that stop within a range of blocks: `stopping` of gateway/backing/stopped.ts with time.
import { type BackingSteps, type IssuerOver, isPool } from "../../core/averages/backing-over.ts";
import type { Step } from "../../core/averages/steps.ts";
import { type BrokenLedgers, STOPPED, stopOf } from "../backing/stopped.ts";

/** The issuers, with those stopped whose shares or stakes have a broken ledger, from where it is. */
export function stoppedOver(
  issuers: ReadonlyMap<string, IssuerOver>,
  broken: BrokenLedgers,
): ReadonlyMap<string, IssuerOver> {
  if (broken.size === 0) return issuers;
  const all = new Map<string, IssuerOver>();
  for (const [address, issuer] of issuers) {
    const backings = new Map(issuer.backings);
    for (const [asset, backing] of backings) if (!isPool(backing)) backings.set(asset, stoppedSteps(backing, broken));
    all.set(address, { ...issuer, backings });
  }
  return all;
}

const stoppedSteps = (backing: BackingSteps, broken: BrokenLedgers): BackingSteps =>
  backing.flatMap(({ from, value }, i): Step<BackingSteps[number]["value"]>[] => {
    const stop = value && stopOf(value, broken);
    const until = backing[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    if (stop === undefined || stop >= until) return [{ from, value }];
    return stop <= from
      ? [{ from, value: STOPPED }]
      : [
          { from, value },
          { from: stop, value: STOPPED },
        ];
  });
