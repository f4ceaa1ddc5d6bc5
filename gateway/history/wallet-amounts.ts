// What a few accounts hold of one asset, in one statement whose text is the same for every block.
import { holdings } from "../../core/history/histories.ts";
import type { ReadScope } from "../database/read-scope.ts";
import { rowOfKey } from "./row-of-key.ts";

interface WalletsInput {
  assetId: number;
  block: number;
  accounts: readonly string[];
}

/** Raw units at the end of the block, in the order of `accounts`; zero where nothing is held. */
export async function walletAmounts(
  scope: Pick<ReadScope, "prepared" | "schemas" | "state">,
  { assetId, block, accounts }: WalletsInput,
): Promise<bigint[]> {
  if (accounts.length === 0) return [];
  const [row] = await scope.prepared<{ amounts: string }>(
    amountsText(scope.schemas.fold, block >= scope.state.finalized),
    [...[String(assetId), String(block)], accounts.join(",")],
  );
  return (row?.amounts ?? "").split(" ").map(BigInt);
}

/** $1 asset, $2 block, $3 accounts. Every account is sought by its key. */
const amountsText = (fold: string, isPresent: boolean): string => `
  select string_agg(coalesce(held.amount, 0)::text, ' ' order by u.place) as amounts
    from (select place, decode(substr(account, 3), 'hex') as account
            from unnest(string_to_array($3, ',')) with ordinality as wallets(account, place)) u
    left join lateral (${rowOfKey(holdings, {
      ...{ isPresent, fold, block: "$2::int4", key: { asset: "$1::int4", account: "u.account" } },
      select: (row) => `${row}.amount`,
    })}) held on true`;
