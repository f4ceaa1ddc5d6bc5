// Every change of what one account holds of a token, from the stretches of blocks over which it held the same.
import { holdings } from "../../core/history/histories.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Address } from "../parameters.ts";
import type { HoldingRange } from "./range-holdings.ts";
import { stretchesOfKey } from "./stretches.ts";

/** `amount` is held from the end of `block` on, `before` until then; they differ. */
export interface Step {
  block: number;
  before: bigint;
  amount: bigint;
}

/** `amount` was held from the end of `since` until before the end of `until`. */
export interface Stretch {
  since: number;
  until: number;
  amount: bigint;
}

/** Turns ascending stretches into the steps of (from, to]. */
class StepWalk {
  readonly #from: number;
  readonly #to: number;
  #held = 0n;
  /** Where the last stretch ended, if nothing follows it. */
  #until: number | undefined;

  constructor({ from, to }: { from: number; to: number }) {
    this.#from = from;
    this.#to = to;
  }

  takeStretch({ since, until, amount }: Stretch): Step[] {
    const gap = this.#until !== undefined && this.#until < since ? this.#set(this.#until, 0n) : [];
    const steps = [...gap, ...this.#set(since, amount)];
    this.#until = until;
    return steps;
  }

  /** After the last stretch. */
  endStretches(): Step[] {
    const until = this.#until;
    this.#until = undefined;
    return until === undefined ? [] : this.#set(until, 0n);
  }

  #set(block: number, amount: bigint): Step[] {
    if (block > this.#to) return [];
    const before = this.#held;
    this.#held = amount;
    return block > this.#from && before !== amount ? [{ block, before, amount }] : [];
  }
}

const STRETCHES_PER_BATCH = 2_000;

/** `until`: null where it was held still by the end of what is read. */
export interface StretchRow {
  since: number;
  until: number | null;
  amount: string;
}

const toStretch = ({ since, until, amount }: StretchRow, end: number): Stretch => ({
  since,
  until: until ?? end,
  amount: BigInt(amount),
});

/** The steps of `account` in (range.from, range.to], ascending, read as they are taken. */
export async function* accountSteps(
  snapshot: Pick<Snapshot, "rows">,
  range: HoldingRange,
  account: Address,
): AsyncGenerator<Step[], undefined> {
  const { fold, assetId, from, to } = range;
  const walk = new StepWalk(range);
  for (let after: number | undefined = from; after !== undefined; ) {
    const text = stretchesOfKey(holdings, {
      fold,
      ranges: `(values (${after}, ${to})) w(first, last)`,
      upTo: String(to),
      key: { asset: String(assetId ?? -1), account: "decode(substr($1, 3), 'hex')" },
      select: (row) => `${row}.amount::text as amount`,
      most: STRETCHES_PER_BATCH,
    });
    const rows = await snapshot.rows<StretchRow>(text, [account]);
    yield rows.flatMap((row) => walk.takeStretch(toStretch(row, to + 1)));
    after = rows.length < STRETCHES_PER_BATCH ? undefined : (rows.at(-1)?.until ?? undefined);
  }
  yield walk.endStretches();
  return undefined;
}
