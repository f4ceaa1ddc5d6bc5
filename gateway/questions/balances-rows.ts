// Who held how much of a token at a block, all of them in raw units, for files and exports.

import type { Holder } from "../balances/largest-holders.ts";
import { holdingsPoint, type LookedThrough, lookThrough } from "../balances/look-through.ts";
import { totalsAt } from "../balances/shared-holdings.ts";
import { allSources } from "../balances/source.ts";
import type { Operation } from "../context.ts";
import { mapBatches, ROWS_PER_BATCH } from "../database/batches.ts";
import type { Address } from "../parameters.ts";
import type { BalanceEntry, BalancesInput } from "./balances.ts";
import { type LocatedToken, locateSoundToken } from "./locate-token.ts";

export type BalanceRow = Omit<BalanceEntry, "isIssuer">;

export interface BalancesRows {
  located: LocatedToken;
  /** In answer order; fetched as they are taken. */
  batches: AsyncIterator<BalanceRow[]>;
  /** Contracts whose holding of the token cannot be attributed to accounts. */
  incomplete: readonly Address[];
}

/** The caller takes the batches before it closes the snapshot. @throws what balancesPage throws */
export const balancesRows: Operation<BalancesInput, BalancesRows> = {
  name: "balances",
  async run(input, context) {
    const { token, users } = input;
    const located = await locateSoundToken(context, input);
    const through = await lookThrough(context, located, { isWhole: false });
    const { text, parameters } = totalsAt(holdingsPoint(located, context), through, users);
    await context.snapshot.open();
    const rows = context.snapshot.batches<Holder>(
      `select '0x' || encode(r.account, 'hex') as account, r.amount::text as amount, r.own::text as own
         from (${text}) r order by ${users ? "r.place" : "r.amount desc, r.account"}`,
      parameters,
      ROWS_PER_BATCH,
    );
    return {
      located,
      incomplete: through.incomplete,
      batches: mapBatches(rows, (row) => toRow(row, { token, through })),
    };
  },
};

/** An account with a total of zero has no sources either, such as a contract that holds for others. */
function toRow(
  { account, amount, own }: Holder,
  { token, through }: { token: Address; through: LookedThrough },
): BalanceRow {
  if (amount === "0") return { account, amount: 0n, sources: [] };
  const beyond = { parts: through.parts.get(account) ?? [], heldAs: through.heldAs };
  return { account, amount: BigInt(amount), sources: allSources({ token, amount: BigInt(own) }, beyond) };
}
