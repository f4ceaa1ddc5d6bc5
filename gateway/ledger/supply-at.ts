// Total supplies: the holdings of asset 0, whose accounts are token addresses.
import { SUPPLY_ASSET } from "../../core/ledgers/additive-ledger.ts";
import type { Address } from "../parameters.ts";
import type { FactsScope } from "./facts-scope.ts";
import { accountsAt } from "./holdings-at.ts";
import { changesIn, NO_OVERLAY, type Overlay } from "./overlay.ts";
import type { BlockPoint } from "./point.ts";

/** Supply of each of `tokens` at the end of the block, raw units, in their order. */
export async function suppliesAt(facts: FactsScope, point: BlockPoint, tokens: readonly Address[]): Promise<bigint[]> {
  if (tokens.length === 0) return [];
  const range = { after: point.watermark, upTo: point.block };
  const above =
    point.block <= point.watermark
      ? []
      : await facts.rows<{ account: Address; delta: string }>(`
          select account, sum(delta)::text as delta from (${changesIn(facts.schemas.ponder, range)}) d
           where kind = 'supply' group by account`);
  const overlay = { ...NO_OVERLAY, accounts: above.map((row) => row.account), deltas: above.map((row) => row.delta) };
  return readSupplies(facts, point, { tokens, overlay });
}

/** The same for one token whose changes above the watermark are known already. */
export async function supplyAt(
  snapshot: Pick<FactsScope, "rows" | "schemas">,
  point: BlockPoint,
  located: { token: Address; overlay: Overlay },
): Promise<bigint> {
  const { token, overlay } = located;
  const changes = { ...NO_OVERLAY, accounts: [token], deltas: [overlay.supplyDelta] };
  const [supply = 0n] = await readSupplies(snapshot, point, { tokens: [token], overlay: changes });
  return supply;
}

async function readSupplies(
  facts: Pick<FactsScope, "rows" | "schemas">,
  point: BlockPoint,
  asked: { tokens: readonly Address[]; overlay: Overlay },
): Promise<bigint[]> {
  const place = { fold: facts.schemas.fold, assetId: SUPPLY_ASSET, block: point.block, watermark: point.watermark };
  const { text, parameters } = accountsAt(place, asked.overlay, asked.tokens);
  const rows = await facts.rows<{ amount: string }>(
    `select amount::text as amount from (${text}) s order by place`,
    parameters,
  );
  return rows.map((row) => BigInt(row.amount));
}
