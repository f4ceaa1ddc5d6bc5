// What named accounts held of one asset, read at the fold alone.
import type { Address } from "../parameters.ts";
import type { AsOf } from "./as-of.ts";
import { amountsAt } from "./holdings-at.ts";
import { NO_OVERLAY } from "./overlay.ts";

/** Raw units at `folded`, in the order of `accounts`. */
export async function readHoldings(
  { fold, folded, point, rows }: AsOf,
  asset: { kind: string; key: Address },
  accounts: readonly Address[],
): Promise<bigint[]> {
  if (accounts.length === 0) return [];
  const [known] = await rows<{ id: number }>(
    `select id from ${fold}.asset where kind = $1 and key = decode(substr($2, 3), 'hex')`,
    [asset.kind, asset.key],
  );
  if (!known) return accounts.map(() => 0n);
  const place = { fold, assetId: known.id, block: folded, watermark: point.watermark };
  const { text, parameters } = amountsAt(place, NO_OVERLAY, accounts);
  const found = await rows<{ amount: string }>(
    `select amount::text as amount from (${text}) h order by place`,
    parameters,
  );
  return found.map((row) => BigInt(row.amount));
}
