// Totals with what stands behind contracts, at several blocks one after the other. Several are looked through together, as many
// as there is room for what they give.
import { type OperationContext, requireTime } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import { readTogether } from "../history/shared-statements.ts";
import type { Address } from "../parameters.ts";
import { type HeldToken, type LookedThrough, lookThrough, placeOf } from "./look-through.ts";
import { totalsAt } from "./shared-parts.ts";

/** Raw units at the end of the block, all sources together. */
export interface TotalAtBlock {
  block: number;
  account: Address;
  amount: bigint;
}

interface BlocksInput {
  token: HeldToken["token"];
  points: readonly BlockPoint[];
  /** Without it everybody. */
  users: readonly Address[] | undefined;
}

const ROWS_PER_BATCH = 5_000;
/** Blocks looked through together: this many first, then as many as fit into memory with their results. */
const FIRST_TOGETHER = 3;
const MOST_TOGETHER = 25;
const MOST_PARTS = 100_000;

/**
 * Rows by block in the order of `points`: at each the users in their order, zeros included, or everybody with a total above zero,
 * largest first and then by account. The snapshot must be open.
 * @throws RequestTooLongError
 */
export async function* totalsAtBlocks(
  context: OperationContext,
  { points, ...input }: BlocksInput,
): AsyncGenerator<TotalAtBlock[], undefined> {
  let together = FIRST_TOGETHER;
  for (let next = 0; next < points.length; ) {
    requireTime(context);
    const found = await lookThroughAll(context, input, points.slice(next, next + together));
    for (const held of found) yield* totalsOf(context, held, input.users);
    next += found.length;
    const parts = Math.max(...found.map(({ through }) => through.parts.size));
    together = Math.min(Math.max(Math.floor(MOST_PARTS / (parts + 1)), 1), MOST_TOGETHER);
  }
  return undefined;
}

type LookedAt = HeldToken & { through: LookedThrough };

function lookThroughAll(
  context: OperationContext,
  { token }: Pick<BlocksInput, "token">,
  points: readonly BlockPoint[],
): Promise<LookedAt[]> {
  return readTogether(context, points, async (point) => {
    const held = { token, point };
    return { ...held, through: await lookThrough(context, held, { isWhole: false }) };
  });
}

async function* totalsOf(
  context: OperationContext,
  { through, ...held }: LookedAt,
  users: readonly Address[] | undefined,
): AsyncGenerator<TotalAtBlock[], undefined> {
  const { text, parameters } = totalsAt(placeOf(held, context), through, users);
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
