// What several blocks together changed in all ledgers, and how far the sums went on the way.
import type { Address } from "../parameters.ts";
import { type Change, type LedgerAsset, nameOf } from "./block-changes.ts";

/** By asset and account; raw units, never zero. */
export type Changes = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** The furthest that the sum of changes went at the end of a block, raw units: below zero where it only fell. */
export interface Extremes extends LedgerAsset {
  account: string;
  low: bigint;
  high: bigint;
}

export interface Above {
  changes: Changes;
  /** Tokens with an event, even where nothing came of it. */
  moved: ReadonlySet<Address>;
  /** Of balances and supplies. */
  extremes: readonly Extremes[];
}

interface Sum extends Extremes {
  sum: bigint;
}

/** `changes` of one block after the other. */
export function sumUp(changes: readonly Change[]): Above {
  const sums = new Map<string, Map<string, Sum>>();
  const moved = new Set<Address>();
  for (const { kind, key, account, delta } of changes) {
    if (kind === "erc20") moved.add(key as Address);
    const name = nameOf({ kind, key });
    const ofAsset = sums.get(name) ?? new Map<string, Sum>();
    sums.set(name, ofAsset);
    const before = ofAsset.get(account);
    if (!before) ofAsset.set(account, { kind, key, account, sum: delta, low: delta, high: delta });
    else add(before, delta);
  }
  const net = [...sums].map(([name, ofAsset]): [string, Map<string, bigint>] => [
    name,
    new Map([...ofAsset].flatMap(([account, { sum }]) => (sum === 0n ? [] : [[account, sum]]))),
  ]);
  return {
    changes: new Map(net.filter(([, { size }]) => size > 0)),
    moved,
    extremes: [...sums.values()]
      .flatMap((ofAsset) => [...ofAsset.values()])
      .filter(({ kind }) => kind === "erc20" || kind === "supply")
      .map(({ sum: _, ...extremes }) => extremes),
  };
}

function add(to: Sum, delta: bigint): void {
  to.sum += delta;
  if (to.sum < to.low) to.low = to.sum;
  if (to.sum > to.high) to.high = to.sum;
}
