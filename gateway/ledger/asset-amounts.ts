// What accounts have by the fold's tables, of many assets at once. At the watermark only what is not known yet is read.
import { holdings } from "../../core/history/histories.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import type { LedgerAsset } from "./block-changes.ts";
import type { FactsScope } from "./facts-scope.ts";
import { keepAmount, knownAmount } from "./watermark-memory.ts";

export interface AskedAmount extends LedgerAsset {
  account: string;
}

interface Place extends Pick<FactsScope, "prepared"> {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** See `Snapshot.index`. */
  index: string;
  /** The block, or the watermark when the block lies above it. */
  folded: number;
  watermark: number;
}

/** Raw units at the end of `folded`, in the order asked; zero where nothing is held. */
export async function assetAmounts(place: Place, asked: readonly AskedAmount[]): Promise<bigint[]> {
  if (place.folded < place.watermark) return readAmounts(place, asked);
  const known = asked.map((one) => knownAmount(place, one, one.account));
  const unknown = asked.filter((_, i) => known[i] === undefined);
  const read = await readAmounts(place, unknown);
  for (const [i, one] of unknown.entries()) keepAmount(place, one, { account: one.account, amount: read[i] ?? 0n });
  let next = 0;
  return known.map((amount) => amount ?? read[next++] ?? 0n);
}

async function readAmounts({ fold, folded, prepared }: Place, asked: readonly AskedAmount[]): Promise<bigint[]> {
  const amounts = asked.map(() => 0n);
  if (asked.length === 0) return amounts;
  const column = (of: (one: AskedAmount) => string) => asked.map(of).join(",");
  const rows = await prepared<{ place: number; amount: string }>(amountsText(fold), [
    column(({ kind }) => kind),
    column(({ key }) => key),
    column(({ account }) => account),
    String(folded),
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
        ...{ fold, block: "$4::int4", key: { asset: "a.id", account: "decode(substr(u.account, 3), 'hex')" } },
        select: (row) => `${row}.amount`,
      })}) held on true`;
