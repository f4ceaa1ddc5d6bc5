// Who gained and who lost between two blocks: wallets at the end of the one and of the other.

import { isRankedPlace, type RankedPlace, type RankedRow, rankedBatches, rankedPage } from "../balances/ranked-rows.ts";
import type { Operation, OperationContext } from "../context.ts";
import { mapBatches } from "../database/batches.ts";
import { changedAmounts } from "../history/range-holdings.ts";
import type { Address } from "../parameters.ts";
import { readCursor, writeCursor } from "./cursors.ts";
import { type LocatedRange, locateRange, type RangeInput } from "./locate-range.ts";

export interface BalanceChange {
  account: Address;
  /** Raw units in its own wallet at the end of the first block and of the last one; they differ. */
  before: bigint;
  after: bigint;
}

export interface BalanceChangesPage {
  range: LocatedRange;
  entries: (BalanceChange & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
}

const columns = ["before", "after"] as const;

const toChange = ({ account, before, after }: RankedRow<"before" | "after">): BalanceChange => ({
  account,
  before: BigInt(before),
  after: BigInt(after),
});

type PageInput = RangeInput & { first: number; after?: string | undefined };

/** One page, from the largest gain to the largest loss and then by account. @throws what locateRange throws */
export const balanceChangesPage: Operation<PageInput, BalanceChangesPage> = {
  name: "balanceChanges",
  async run(input, context) {
    const cursor = readCursor(input.after, isRankedPlace);
    const range = await locateRange(context, { ...input, cursor });
    const after: RankedPlace | undefined = cursor && [String(cursor.at[0]), String(cursor.at[1])];
    const { rows, total } = await rankedPage(context.snapshot, changedAmounts(range.holdings), {
      columns,
      after,
      limit: input.first + 1,
    });
    const entries = rows
      .slice(0, input.first)
      .map((row) => ({ ...toChange(row), cursor: writeCursor(range.to, [row.rank, row.account]) }));
    return { range, entries, totalCount: total, hasNextPage: rows.length > input.first };
  },
};

/** All of them in the same order, fetched as they are taken. */
export const balanceChangesRows = {
  name: "balanceChanges",
  async run(input: RangeInput, context: OperationContext) {
    const range = await locateRange(context, input);
    await context.snapshot.open();
    const batches = rankedBatches(context.snapshot, changedAmounts(range.holdings), columns);
    return { range, batches: mapBatches(batches, toChange) };
  },
} satisfies Operation<RangeInput, { range: LocatedRange; batches: AsyncIterator<BalanceChange[]> }>;
