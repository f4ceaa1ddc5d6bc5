// The ledgers of a final block as they were before some of them broke: the gateway's own, and what the fold has deleted since.
import type { Sql } from "postgres";
import type { Holding } from "../core/lookthrough/backing.ts";
import { LedgerAt } from "../gateway/backing/ledger-at.ts";
import type { AsOf } from "../gateway/history/as-of.ts";
import type { AmountInput } from "../gateway/history/asset-amounts.ts";
import type { LedgerAsset } from "../gateway/history/ledger-asset.ts";
import { type RemadeInput, remadeHoldings } from "./quarantined-rows.ts";

export class RemadeLedger extends LedgerAt {
  readonly #read: (assets: RemadeInput["assets"]) => ReturnType<typeof remadeHoldings>;

  /** `db`: where the rows were made again; `last`: the segment's last block. */
  constructor(at: AsOf, { db, last }: { db: Sql; last: number }) {
    super(at, { cache: at.cache });
    this.#read = async (assets) =>
      assets.length === 0 ? new Map() : remadeHoldings(db, { assets, block: at.point.block, last });
  }

  override async holders(assets: readonly LedgerAsset[]): Promise<(readonly Holding[])[]> {
    const [held, remade] = await Promise.all([super.holders(assets), this.#read(assets)]);
    return held.map((one, i) => remade.get(i) ?? one);
  }

  override async amounts(inputs: readonly AmountInput[]): Promise<bigint[]> {
    const [held, remade] = await Promise.all([super.amounts(inputs), this.#read(inputs)]);
    return held.map((amount, i) => {
      const again = remade.get(i);
      return again === undefined ? amount : (again[0]?.amount ?? 0n);
    });
  }
}
