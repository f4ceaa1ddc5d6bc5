// Total supplies: the holdings of asset 0, whose accounts are token addresses.
import { EVERY } from "../../core/ledgers/listing.ts";
import type { Address } from "../parameters.ts";
import { assetAmounts } from "./asset-amounts.ts";
import { above, supplyChanges } from "./changes-above.ts";
import type { FactsScope } from "./facts-scope.ts";
import type { Overlay } from "./overlay.ts";
import type { BlockPoint } from "./point.ts";

/** Supply of each of `tokens` at the end of the block, raw units, in their order. */
export async function suppliesAt(facts: FactsScope, point: BlockPoint, tokens: readonly Address[]): Promise<bigint[]> {
  if (tokens.length === 0) return [];
  const changes = supplyChanges(await above(facts, point));
  return readSupplies(facts, point, { tokens, changes });
}

/** The same for one token whose changes above the watermark are known already. */
export async function supplyAt(
  snapshot: Pick<FactsScope, "prepared" | "schemas" | "index">,
  point: BlockPoint,
  located: { token: Address; overlay: Overlay },
): Promise<bigint> {
  const { token, overlay } = located;
  const changes = new Map([[token, BigInt(overlay.supplyDelta)]]);
  const [supply = 0n] = await readSupplies(snapshot, point, { tokens: [token], changes });
  return supply;
}

async function readSupplies(
  facts: Pick<FactsScope, "prepared" | "schemas" | "index">,
  { block, watermark }: BlockPoint,
  { tokens, changes }: { tokens: readonly Address[]; changes: ReadonlyMap<string, bigint> },
): Promise<bigint[]> {
  const folded = Math.min(block, watermark);
  const asked = tokens.map((account) => ({ kind: "supply", key: EVERY, account }));
  const amounts = await assetAmounts(
    {
      ...{ index: facts.index, fold: facts.schemas.fold, folded, watermark },
      prepared: (text, parameters) => facts.prepared(text, parameters),
    },
    asked,
  );
  return tokens.map((token, i) => (amounts[i] ?? 0n) + (changes.get(token) ?? 0n));
}
