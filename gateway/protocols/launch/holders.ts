// How many wallets hold each of several tokens: counted where they lie, since only numbers are wanted.
import { rowsOfGroup } from "../../../core/history/as-of.ts";
import { holdings } from "../../../core/history/histories.ts";
import { LAUNCH_POOL } from "../../../core/ledgers/launch-pool.ts";
import { everyText } from "../../backing/ledger-texts.ts";
import type { Snapshot } from "../../database/snapshot.ts";
import { BLOCK, NOBODY } from "../../history/holdings-at.ts";
import type { BlockPoint } from "../../history/point.ts";
import type { Address } from "../../parameters.ts";

/**
 * Addresses whose own wallet is not empty at the end of the block, for each of `tokens` in their order; the zero address
 * and launch pools, whatever they sell, are not counted.
 */
export async function countHolders(
  snapshot: Snapshot,
  point: BlockPoint,
  tokens: readonly Address[],
): Promise<number[]> {
  if (tokens.length === 0) return [];
  const rows = await snapshot.prepared<{ place: number; wallets: number }>(walletsText(snapshot.fold), [
    String(point.block),
    tokens.join(","),
  ]);
  const wallets = new Map(rows.map((row) => [row.place - 1, row.wallets]));
  return tokens.map((_, i) => wallets.get(i) ?? 0);
}

/** $1 block, $2 tokens: (place, wallets) of those that anybody holds. */
const walletsText = (fold: string): string => `
    select u.place::int4 as place, count(*)::int4 as wallets
      from unnest(string_to_array($2, ',')) with ordinality as u(token, place)
      join ${fold}.asset a on a.kind = 'erc20' and a.key = decode(substr(u.token, 3), 'hex')
     cross join lateral (${rowsOfGroup(holdings, {
       fold,
       of: { asset: "a.id" },
       block: BLOCK,
       select: (row) => `${row}.account, ${row}.amount`,
     })}) h
     where h.account <> ${NOBODY} and h.account not in (${everyText(fold, LAUNCH_POOL)})
     group by u.place`;
