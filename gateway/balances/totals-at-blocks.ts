// Totals with what stands behind contracts, at several blocks one after the other.
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import { holdingsPoint } from "./look-through.ts";
import { type LookedAt, lookThroughBlocks, type TokenAtBlocks } from "./look-through-blocks.ts";
import { totalsAt } from "./shared-holdings.ts";

/** Raw units at the end of the block, all sources together. */
export interface TotalAtBlock {
  block: number;
  account: Address;
  amount: bigint;
}

interface BlocksInput extends TokenAtBlocks {
  /** Without it everybody. */
  users: readonly Address[] | undefined;
}

const ROWS_PER_BATCH = 5_000;

/**
 * Rows by block in the order of `points`: at each the users in their order, zeros included, or everybody with a total above zero,
 * largest first and then by account. The snapshot must be open.
 * @throws RequestTooLongError
 */
export async function* totalsAtBlocks(
  context: OperationContext,
  { users, ...of }: BlocksInput,
): AsyncGenerator<TotalAtBlock[], undefined> {
  for await (const held of lookThroughBlocks(context, of)) yield* totalsOf(context, held, users);
  return undefined;
}

async function* totalsOf(
  context: OperationContext,
  { through, ...held }: LookedAt,
  users: readonly Address[] | undefined,
): AsyncGenerator<TotalAtBlock[], undefined> {
  const { text, parameters } = totalsAt(holdingsPoint(held, context), through, users);
  const rows = context.snapshot.batches<{ account: Address; amount: string }>(
    `select '0x' || encode(t.account, 'hex') as account, t.amount::text as amount from (${text}) t
      ${users ? "order by t.place" : "where t.amount > 0 order by t.amount desc, t.account"}`,
    parameters,
    ROWS_PER_BATCH,
  );
  try {
    for (let batch = await rows.next(); !batch.done; batch = await rows.next())
      yield batch.value.map(({ account, amount }) => ({ block: held.point.block, account, amount: BigInt(amount) }));
  } finally {
    await rows.return?.();
  }
  return undefined;
}
