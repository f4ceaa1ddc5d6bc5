// What happened above the fold's watermark: the same ledger SQL as the fold's, summed on the fly for the few blocks
// that are not final yet.
import { ledgers } from "../../core/ledgers/registry.ts";
import type { Address } from "../parameters.ts";
import { requireNear } from "./facts-above.ts";
import type { FactsScope } from "./facts-scope.ts";

/** Changes of one token in (watermark, block]; raw units, decimal strings. */
export interface Overlay {
  accounts: readonly Address[];
  deltas: readonly string[];
  supplyDelta: string;
  /** Why the token is not a standard one, if it stopped being one up here. */
  broken: string | undefined;
}

export const NO_OVERLAY: Overlay = { accounts: [], deltas: [], supplyDelta: "0", broken: undefined };

/**
 * SELECT text of the ledgers' changes with after < block <= upTo, both SQL expressions, of one token's contract if named:
 * (block, log_index, kind, key, account, delta).
 */
export const changesIn = (
  schema: string,
  range: { after: number | string; upTo: number | string },
  token?: Address,
): string =>
  ledgers
    .map(({ deltas }) => {
      const bounds = { after: String(range.after), upTo: String(range.upTo) };
      return `(${deltas(schema, bounds, token && `'${token}'`)})`;
    })
    .join(" union all ");

/** Whether `token` has any recorded event above the watermark. */
export async function isSeenAboveWatermark(facts: FactsScope, token: Address): Promise<boolean> {
  const { watermark, lastSynced, lastSyncedHash } = facts.state;
  if (lastSynced === undefined || lastSynced <= watermark) return false;
  await requireNear(facts, { block: lastSynced, hash: lastSyncedHash });
  const range = { after: watermark, upTo: lastSynced };
  const rows = await facts.rows(`
    select 1 as seen from (${changesIn(facts.schemas.ponder, range, token)}) d where kind = 'erc20' and key = '${token}' limit 1`);
  return rows.length > 0;
}
