// Every change of what one account had in its own wallet, from one block to another.
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { Operation, OperationContext } from "../context.ts";
import { accountSteps, type Step } from "../history/account-steps.ts";
import { accountsAt } from "../history/holdings-at.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { isNumberPlace, readCursor, writeCursor } from "./cursors.ts";
import { type LocatedRange, locateRange, type RangeInput } from "./locate-range.ts";

interface BalanceHistoryInput extends RangeInput {
  account: Address;
}

export interface BalanceStep extends Step {
  /** Of the block. */
  timestamp: number | undefined;
}

export interface BalanceHistory {
  range: LocatedRange;
  /** Raw units at the end of the first block and of the last one. */
  opening: bigint;
  closing: bigint;
}

/** One page, oldest change first. @throws what locateRange throws; InvalidInputError naming `after` */
export const balanceHistoryPage: Operation<
  BalanceHistoryInput & { first: number; after?: string | undefined },
  BalanceHistory & { entries: (BalanceStep & { cursor: string })[]; hasNextPage: boolean }
> = {
  name: "balanceHistory",
  async run(input, context) {
    const cursor = readCursor(input.after, isNumberPlace);
    const history = await open(context, { ...input, cursor });
    const { range } = history;
    const after = Math.max(range.from.block, Number(cursor?.at[0] ?? 0));
    const steps: Step[] = [];
    for await (const batch of stepsAfter(context, range, { account: input.account, after })) {
      steps.push(...batch);
      if (steps.length > input.first) break;
    }
    const shown = await withTimestamps(context, steps.slice(0, input.first));
    const entries = shown.map((step) => ({ ...step, cursor: writeCursor(range.to, [step.block]) }));
    return { ...history, entries, hasNextPage: steps.length > input.first };
  },
};

/** All of them, read as they are taken. */
export const balanceHistoryRows: Operation<
  BalanceHistoryInput,
  BalanceHistory & { batches: AsyncIterator<BalanceStep[]> }
> = {
  name: "balanceHistory",
  async run(input, context) {
    const history = await open(context, input);
    await context.snapshot.open();
    const { account } = input;
    const steps = stepsAfter(context, history.range, { account, after: history.range.from.block });
    return { ...history, batches: timed(context, steps) };
  },
};

async function open(
  context: OperationContext,
  input: BalanceHistoryInput & Parameters<typeof locateRange>[1],
): Promise<BalanceHistory> {
  const range = await locateRange(context, input);
  const [opening, closing] = [
    await amountAt(context, range, { account: input.account, point: range.from }),
    await amountAt(context, range, { account: input.account, point: range.to }),
  ];
  return { range, opening, closing };
}

async function amountAt(
  { snapshot }: OperationContext,
  { holdings }: LocatedRange,
  { account, point }: { account: Address; point: BlockPoint },
): Promise<bigint> {
  const { text, parameters } = accountsAt({ ...holdings, block: point.block }, [account]);
  const [row] = await snapshot.rows<{ amount: string }>(`select amount::text as amount from (${text}) a`, parameters);
  return BigInt(row?.amount ?? 0);
}

/** The zero address is nobody's account: it has no history. */
async function* stepsAfter(
  { snapshot }: OperationContext,
  { holdings }: LocatedRange,
  { account, after }: { account: Address; after: number },
): AsyncGenerator<Step[], undefined> {
  if (account !== ZERO_ADDRESS) yield* accountSteps(snapshot, { ...holdings, from: after }, account);
  return undefined;
}

async function* timed(
  context: OperationContext,
  batches: AsyncIterable<Step[]>,
): AsyncGenerator<BalanceStep[], undefined> {
  for await (const steps of batches) yield await withTimestamps(context, steps);
  return undefined;
}

async function withTimestamps({ snapshot }: OperationContext, steps: readonly Step[]): Promise<BalanceStep[]> {
  if (steps.length === 0) return [];
  const rows = await snapshot.rows<{ number: number; timestamp: number }>(
    `select number, timestamp from ${snapshot.fold}.block where number = any(string_to_array($1, ',')::int4[])`,
    [steps.map(({ block }) => block).join(",")],
  );
  const timestamps = new Map(rows.map(({ number, timestamp }) => [number, timestamp]));
  return steps.map((step) => ({ ...step, timestamp: timestamps.get(step.block) }));
}
