// What accounts have of many assets at once, each sought by its key.
import { holdings } from "../../core/history/histories.ts";
import type { ReadScope } from "../database/read-scope.ts";
import type { LedgerAsset } from "./ledger-asset.ts";
import { rowOfKey } from "./row-of-key.ts";

export interface AmountInput extends LedgerAsset {
  account: string;
}

interface Place extends Pick<ReadScope, "fold" | "prepared"> {
  block: number;
}

/** Raw units at the end of the block, in the order of `inputs`; zero where nothing is held. */
export async function assetAmounts(
  { fold, block, prepared }: Place,
  inputs: readonly AmountInput[],
): Promise<bigint[]> {
  const amounts = inputs.map(() => 0n);
  if (inputs.length === 0) return amounts;
  const column = (of: (one: AmountInput) => string) => inputs.map(of).join(",");
  const rows = await prepared<{ place: number; amount: string }>(amountsText(fold), [
    column(({ kind }) => kind),
    column(({ key }) => key),
    column(({ account }) => account),
    String(block),
  ]);
  for (const { place, amount } of rows) amounts[place - 1] = BigInt(amount);
  return amounts;
}

/** $1 kinds, $2 keys, $3 accounts, $4 block: (place, amount), of assets that there are. */
const amountsText = (fold: string): string => `
    select u.place::int4 as place, coalesce(held.amount, 0)::text as amount
      from unnest(string_to_array($1, ','), string_to_array($2, ','), string_to_array($3, ','))
           with ordinality as u(kind, key, account, place)
      join ${fold}.asset a on a.kind = u.kind and a.key = decode(substr(u.key, 3), 'hex')
      left join lateral (${rowOfKey(holdings, {
        fold,
        block: "$4::int4",
        key: { asset: "a.id", account: "decode(substr(u.account, 3), 'hex')" },
        select: (row) => `${row}.amount`,
      })}) held on true`;
