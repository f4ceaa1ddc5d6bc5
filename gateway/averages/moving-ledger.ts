// The ledgers at one block of a range, from memory; the same object is moved from block to block. Every read says until when
// it holds, so that what is worked out from it is worked out again only where it may be another.
import type { Holding } from "../../core/lookthrough/backing.ts";
import { OTHERS } from "../backing/focus.ts";
import type { Ledger, Place } from "../backing/ledger.ts";
import type { AmountInput } from "../history/asset-amounts.ts";
import type { LedgerAsset } from "../history/ledger-asset.ts";
import type { Address } from "../parameters.ts";
import type { AmountSeries } from "./amount-series.ts";
import { isCounted, type RangeHistories } from "./range-histories.ts";

/** Of the contracts that hold something only one matters, and those that it may have staked in. */
export interface ContractFocus {
  contract: Address;
  stakedIn: ReadonlySet<string>;
}

export class MovingLedger implements Ledger {
  readonly #histories: RangeHistories;
  readonly #focus: ContractFocus | undefined;
  #block: number;
  #until: number;

  constructor(histories: RangeHistories, focus?: ContractFocus) {
    this.#histories = histories;
    this.#focus = focus;
    this.#block = histories.range.from;
    this.#until = histories.range.to + 1;
  }

  /** At the end of `block` from now on; nothing has been read there yet. */
  moveTo(block: number): void {
    this.#block = block;
    this.#until = this.#histories.range.to + 1;
  }

  /** The first block after this one at which something that was read is another; the one after the range without any. */
  get until(): number {
    return this.#until;
  }

  /** What is worked out now holds no longer than until `block`, whatever was read. */
  holdUntil(block: number): void {
    if (block < this.#until) this.#until = block;
  }

  /** Of tokens and stakes all holders are one, `OTHERS`. */
  async holders(assets: readonly LedgerAsset[]): Promise<(readonly Holding[])[]> {
    const counted = assets.filter((one) => isCounted(one) && !this.#histories.totals.find(one));
    const listing = assets.filter((one) => !isCounted(one) && !this.#histories.holders.find(one));
    if (counted.length > 0 || listing.length > 0)
      await Promise.all([this.#histories.totals.load(counted), this.#histories.holders.load(listing)]);
    return assets.map((asset) => (isCounted(asset) ? this.#totalOf(asset) : this.#contractsOf(asset)));
  }

  amounts(inputs: readonly AmountInput[]): Promise<bigint[]> {
    const amounts: bigint[] = [];
    for (const input of inputs) {
      if (this.#focus && input.account !== this.#focus.contract) {
        amounts.push(0n);
        continue;
      }
      const series = this.#histories.amounts.find(input);
      if (!series) return this.#loadedAmounts(inputs);
      amounts.push(this.#read(series));
    }
    return Promise.resolve(amounts);
  }

  async #loadedAmounts(inputs: readonly AmountInput[]): Promise<bigint[]> {
    const meant = this.#focus ? inputs.filter(({ account }) => account === this.#focus?.contract) : inputs;
    await this.#histories.amounts.load(meant);
    return this.amounts(inputs);
  }

  async listed(kind: string, tokens: readonly Address[]): Promise<Place[]> {
    const assets = tokens.map((key) => ({ kind, key }));
    const missing = assets.filter((asset) => !this.#histories.holders.find(asset));
    if (missing.length > 0) await this.#histories.holders.load(missing);
    const places: Place[] = [];
    for (const asset of assets)
      for (const { account } of this.#contractsOf(asset))
        places.push({ token: asset.key, contract: account as Address });
    return places;
  }

  async tokensOf(kinds: readonly string[], contracts: readonly Address[]): Promise<Map<Address, Set<Address>>> {
    const lists = await this.#histories.tokens.load(contracts.map((contract) => ({ kinds, contract })));
    return new Map(
      contracts.map((contract, i) => {
        const tokens = new Set<Address>();
        for (const { token, since } of lists[i] ?? [])
          if (since <= this.#block) tokens.add(token);
          else this.holdUntil(since);
        return [contract, tokens];
      }),
    );
  }

  #totalOf(asset: LedgerAsset): Holding[] {
    const total = this.#histories.totals.find(asset);
    const amount = total ? this.#read(total) : 0n;
    return amount > 0n ? [{ account: OTHERS, amount }] : [];
  }

  #contractsOf(asset: LedgerAsset): Holding[] {
    const all = this.#histories.holders.find(asset);
    const found: Holding[] = [];
    const take = (account: string, series: AmountSeries | undefined) => {
      const amount = series ? this.#read(series) : 0n;
      if (amount > 0n) found.push({ account, amount });
    };
    if (!all) return found;
    if (!this.#focus) for (const [account, series] of all) take(account, series);
    else {
      take(this.#focus.contract, all.get(this.#focus.contract));
      for (const account of this.#focus.stakedIn) take(account, all.get(account));
    }
    return found;
  }

  #read(series: AmountSeries): bigint {
    const next = series.nextAfter(this.#block);
    if (next < this.#until) this.#until = next;
    return series.at(this.#block);
  }
}
