// Every change of what one account holds of a token, from the stretches of blocks over which it held the same.
import type { Address } from "../parameters.ts";
import type { Movement } from "./movements.ts";
import type { HoldingRange } from "./range-holdings.ts";
import type { Snapshot } from "./snapshot.ts";

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

/** Turns stretches and later movements, both ascending and told one after the other, into the steps of (from, to]. */
export class StepWalk {
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

  takeMovement({ block, delta }: Pick<Movement, "block" | "delta">): Step[] {
    return this.#set(block, this.#held + BigInt(delta));
  }

  #set(block: number, amount: bigint): Step[] {
    if (block > this.#to) return [];
    const before = this.#held;
    this.#held = amount;
    return block > this.#from && before !== amount ? [{ block, before, amount }] : [];
  }
}

const STRETCHES_PER_BATCH = 2_000;

/** The steps of `account` in (range.from, range.to], ascending, read as they are taken. */
export async function* accountSteps(
  snapshot: Pick<Snapshot, "rows">,
  range: HoldingRange,
  account: Address,
): AsyncGenerator<Step[], undefined> {
  const { fold, assetId, from, to, watermark } = range;
  const walk = new StepWalk(range);
  const ofAccount = `asset = ${assetId ?? -1} and account = decode(substr($1, 3), 'hex')`;
  const read = async (text: string): Promise<Stretch[]> => {
    const rows = await snapshot.rows<{ since: number; until: number; amount: string }>(text, [account]);
    return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
  };
  for (let after = from; ; ) {
    const stretches = await read(`
      select from_block as since, to_block as until, amount::text as amount from ${fold}.holding_interval
       where ${ofAccount} and to_block > ${after} order by to_block limit ${STRETCHES_PER_BATCH}`);
    const reached = stretches.at(-1);
    yield stretches.flatMap((stretch) => (stretch.since > to ? [] : walk.takeStretch(stretch)));
    if (!reached || stretches.length < STRETCHES_PER_BATCH || reached.since > to) break;
    after = reached.until;
  }
  const current = await read(`
    select since, ${Math.max(watermark, to) + 1} as until, amount::text as amount from ${fold}.holding_current
     where ${ofAccount} and since <= ${to}`);
  yield current.flatMap((stretch) => walk.takeStretch(stretch)).concat(walk.endStretches());
  yield range.movements.flatMap((movement) => (movement.account === account ? walk.takeMovement(movement) : []));
  return undefined;
}
