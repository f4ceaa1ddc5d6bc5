// What a few accounts hold of one asset by the fold's tables, in one statement whose text is the same for every block.
import type { FactsScope } from "./facts-scope.ts";

interface Asked {
  assetId: number;
  /** At or below the watermark. */
  folded: number;
  accounts: readonly string[];
}

/** Raw units at the end of the block, in the order of `accounts`; zero where nothing is held. */
export async function foldedAmounts(
  scope: Pick<FactsScope, "prepared" | "schemas">,
  { assetId, folded, accounts }: Asked,
): Promise<bigint[]> {
  if (accounts.length === 0) return [];
  const [row] = await scope.prepared<{ amounts: string }>(foldedText(scope.schemas.fold), [
    ...[String(assetId), String(folded)],
    accounts.join(","),
  ]);
  return (row?.amounts ?? "").split(" ").map(BigInt);
}

/** $1 asset, $2 block, $3 accounts. Every account is sought by its key; no interval reaches beyond the watermark. */
const foldedText = (fold: string): string => `
  select string_agg(coalesce(past.amount, present.amount, 0)::text, ' ' order by u.place) as amounts
    from (select place, decode(substr(account, 3), 'hex') as account
            from unnest(string_to_array($3, ',')) with ordinality as asked(account, place)) u
    left join lateral (
      select case when from_block <= $2::int4 then amount else 0 end as amount from ${fold}.holding_interval
       where asset = $1::int4 and account = u.account and to_block > $2::int4 order by to_block limit 1) past on true
    left join lateral (
      select case when since <= $2::int4 then amount end as amount from ${fold}.holding_current
       where past.amount is null and asset = $1::int4 and account = u.account limit 1) present on true`;
